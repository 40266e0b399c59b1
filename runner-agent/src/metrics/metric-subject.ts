import type { ToolCall, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { isConversation } from '@proofmark/contracts/test-case';
import type { CaseState } from '../case/case-state.ts';
import { type ToldRun, toldRun } from '../case/judge-by-code.ts';
import { transcriptText } from '../judge/evidence.ts';

/** What metrics look at, the same for all metrics of a test run. An absent input is the empty text or list. */
export interface MetricSubject {
  query: string;
  response: string;
  groundTruth: string | null;
  /** The files of the case apart, for judges that tell them from what tools returned. */
  files: readonly ProcessedFileInput[];
  /** Files as Markdown, then what tools returned. */
  context: string;
  /** Retrieved pieces of text, in the order of the calls. */
  chunks: readonly string[];
  instructions: string;
  calls: readonly ToolCall[];
  tools: string;
  /** The same as code of the team is told it. */
  told: ToldRun;
}

/** The facts of one test run that was answered with `response`. */
export function metricSubject(
  state: CaseState,
  { work, response, costUsd }: { work: CaseWork; response: string; costUsd: number | null },
): MetricSubject {
  const { transcript, testInput, toolCalls, files } = state;
  const texts = [...files.map((file) => file.markdown_content), ...toolCalls.map(({ result }) => asText(result))];
  const pieces = texts.filter((piece) => piece.trim() !== '');
  return {
    query: askedText({ transcript, testInput }, work.case),
    response,
    groundTruth: work.case.ground_truth,
    files,
    context: pieces.join('\n\n'),
    chunks: chunksOf(work, toolCalls, pieces),
    instructions: work.agent.instructions,
    calls: toolCalls,
    tools: work.agent.tools.map((tool) => JSON.stringify(tool)).join('\n'),
    told: toldRun(state, { work, response, costUsd }),
  };
}

/** What the user asked, in a conversation all that was said before the last answer. */
export const askedText = (
  { transcript, testInput }: Pick<CaseState, 'transcript' | 'testInput'>,
  testCase: CaseWork['case'],
): string => (isConversation(testCase) ? transcriptText(beforeLastAnswer(transcript)) : testInput);

function beforeLastAnswer(transcript: readonly TranscriptTurn[]): TranscriptTurn[] {
  const last = transcript.findLastIndex(({ role }) => role === 'agent');
  return transcript.slice(0, last === -1 ? transcript.length : last);
}

/** What retrieval tools returned, list elements apart; without such tools all pieces of the context. */
function chunksOf({ agent }: CaseWork, calls: readonly ToolCall[], pieces: readonly string[]): readonly string[] {
  const retrieving = new Set(agent.tools.filter(({ retrieval }) => retrieval).map(({ name }) => name));
  if (retrieving.size === 0) return pieces;
  return calls
    .filter(({ name, error }) => retrieving.has(name) && error === null)
    .flatMap(({ result }) => (Array.isArray(result) ? result.map(asText) : [asText(result)]))
    .filter((chunk) => chunk.trim() !== '');
}

const asText = (value: ToolCall['result']): string => (typeof value === 'string' ? value : JSON.stringify(value));
