import type { TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import type { TestRunResult } from '@proofmark/contracts/result-message';
import { truncateResponse } from '@proofmark/domain/truncate-response';

/** A result larger than this does not fit into a message beside others. */
export const largestResultBytes = 512 * 1024;

const fileCharacters = 2_000;

/**
 * The result as JSON that surely fits: first the text of files is cut, then long turns, then the transcript goes, then what
 * tools were told and said. The verdict stays whole.
 */
export function fitResult(result: TestRunResult): string {
  const whole = JSON.stringify(result);
  if (fits(whole)) return whole;
  const flags = [...result.outcome.flags, 'evidence_cut'];
  const outcome = { ...result.outcome, files: result.outcome.files.map(cutFile), flags };
  const withShortFiles = JSON.stringify({ ...result, outcome });
  if (fits(withShortFiles)) return withShortFiles;
  const transcript = outcome.transcript.map(cutTurn);
  const withShortTurns = JSON.stringify({ ...result, outcome: { ...outcome, transcript } });
  if (fits(withShortTurns)) return withShortTurns;
  const withoutTranscript = { ...result, outcome: { ...outcome, transcript: [] } };
  const smaller = JSON.stringify(withoutTranscript);
  if (fits(smaller)) return smaller;
  const toolCalls = outcome.toolCalls.map((call) => ({ ...call, args: null, result: null }));
  const { recorded: _recorded, ...mocks } = outcome.mocks ?? { unusedEntries: [], unmatchedCalls: [] };
  const use = outcome.mocks === undefined ? {} : { mocks };
  return JSON.stringify({ ...result, outcome: { ...outcome, ...use, transcript: [], toolCalls } });
}

function cutTurn(turn: TranscriptTurn): TranscriptTurn {
  return { ...turn, text: truncateResponse(turn.text).text };
}

function cutFile(file: ProcessedFileInput): ProcessedFileInput {
  const { text, isTruncated } = truncateResponse(file.markdown_content, fileCharacters);
  return isTruncated ? { ...file, markdown_content: text, metadata: { ...file.metadata, truncated: true } } : file;
}

function fits(json: string): boolean {
  return Buffer.byteLength(json) <= largestResultBytes;
}
