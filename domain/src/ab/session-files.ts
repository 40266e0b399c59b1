import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { twoDecimals } from '../report/format-measures.ts';
import { csvText } from '../text/csv-text.ts';
import { compareResponses, measureResponse } from './summarize-session.ts';

/** A response as its file holds it: with the sum of its tokens, which is computed and never read back. */
function responseDocument(response: AgentResponse): object {
  const { response: text, prompt_tokens, completion_tokens, ...rest } = response;
  const { total_tokens } = measureResponse(response);
  return { response: text, prompt_tokens, completion_tokens, total_tokens, ...rest };
}

/** One result as its file holds it (seed 003): the two differences are computed and never read back. */
export function resultDocument({ question, baseline, candidate, ...rest }: ABTestResult): object {
  const { token_overhead, latency_diff_ms } = compareResponses(baseline, candidate);
  return {
    question,
    baseline: responseDocument(baseline),
    candidate: responseDocument(candidate),
    ...rest,
    token_overhead,
    latency_diff_ms,
  };
}

/** A session as its file holds it (seed 003), its results last. Reading it gives the session again without loss. */
export function sessionDocument({ results, ...session }: ABSession): object {
  return { ...session, results: results.map(resultDocument) };
}

/** Name of a session's own file; the id can only be one that names no other folder. */
export const sessionFileName = (sessionId: string, extension: 'json' | 'csv'): string =>
  `session__${sessionId}.${extension}`;

/** Name of the file of one result; colons are not allowed in names on every system. */
export const resultFileName = ({ session_id, timestamp }: Pick<ABTestResult, 'session_id' | 'timestamp'>): string =>
  `${session_id}__${timestamp.replaceAll(':', '-')}.json`;

/** The id in the name of a session's file; undefined for the name of anything else. */
export const sessionIdOfFile = (name: string): string | undefined =>
  /^session__([A-Za-z0-9_-]{1,64})\.json$/.exec(name)?.[1];

const QUESTION_CHARACTERS = 80;

/** One row of the CSV of a session (seed 003): the reading form, JSON is the one without loss. */
export function sessionCsvRow({
  question,
  baseline,
  candidate,
}: Pick<ABTestResult, 'question' | 'baseline' | 'candidate'>) {
  const comparison = compareResponses(baseline, candidate);
  return {
    // By characters, so that the cut never leaves half of one.
    question: Array.from(question).slice(0, QUESTION_CHARACTERS).join(''),
    baseline_tokens: measureResponse(baseline).total_tokens,
    candidate_tokens: measureResponse(candidate).total_tokens,
    token_overhead: comparison.token_overhead,
    baseline_latency_ms: twoDecimals(baseline.latency_ms),
    candidate_latency_ms: twoDecimals(candidate.latency_ms),
    latency_diff_ms: twoDecimals(comparison.latency_diff_ms),
    response_length_ratio: twoDecimals(comparison.response_length_ratio),
  };
}

const columns = [
  'question',
  'baseline_tokens',
  'candidate_tokens',
  'token_overhead',
  'baseline_latency_ms',
  'candidate_latency_ms',
  'latency_diff_ms',
  'response_length_ratio',
] as const satisfies readonly (keyof ReturnType<typeof sessionCsvRow>)[];

/** The CSV file of a session: its header and a row per question. */
export function renderSessionCsv({ results }: Pick<ABSession, 'results'>): string {
  const rows = results.map(sessionCsvRow).map((row) => columns.map((column) => row[column]));
  return csvText([columns, ...rows]);
}
