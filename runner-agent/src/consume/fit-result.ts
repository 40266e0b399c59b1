import type { TestRunResult } from '@proofmark/contracts/result-message';

/** A result larger than this does not fit into a message beside others. */
export const largestResultBytes = 512 * 1024;

/** The result as JSON that surely fits: first the transcript goes, then what tools were told and said. The verdict stays whole. */
export function fitResult(result: TestRunResult): string {
  const whole = JSON.stringify(result);
  if (fits(whole)) return whole;
  const { outcome } = result;
  const flags = [...outcome.flags, 'evidence_cut'];
  const withoutTranscript = { ...result, outcome: { ...outcome, transcript: [], flags } };
  const smaller = JSON.stringify(withoutTranscript);
  if (fits(smaller)) return smaller;
  const toolCalls = outcome.toolCalls.map((call) => ({ ...call, args: null, result: null }));
  return JSON.stringify({ ...result, outcome: { ...outcome, transcript: [], toolCalls, flags } });
}

function fits(json: string): boolean {
  return Buffer.byteLength(json) <= largestResultBytes;
}
