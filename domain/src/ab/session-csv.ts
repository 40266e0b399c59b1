import type { ABSession, ABTestResult } from '@proofmark/contracts/ab-session';
import { csvText } from '../report/csv-text.ts';
import { twoDecimals } from '../report/format-measures.ts';
import { compareResponses } from './compare-responses.ts';
import { measureResponse } from './response-measures.ts';

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
