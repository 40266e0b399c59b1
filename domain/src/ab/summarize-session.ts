import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { compareResponses } from './compare-responses.ts';
import { measureResponse } from './response-measures.ts';

/** One side of a session. Tokens and latency are those of questions that both sides answered: only they compare. */
export interface SideSummary {
  errors: number;
  tokens: number;
  /** Null: no question was answered by both. */
  medianLatencyMs: number | null;
}

export interface SessionSummary {
  baseline: SideSummary;
  candidate: SideSummary;
  /** Questions that both sides answered. */
  compared: number;
}

/** Both sides of a session in numbers; how they are judged is not part of it. */
export function summarizeSession({ results }: Pick<ABSession, 'results'>): SessionSummary {
  const compared = results.filter(({ baseline, candidate }) => compareResponses(baseline, candidate).both_successful);
  const side = (of: (result: ABTestResult) => AgentResponse): SideSummary => ({
    errors: results.filter((result) => !measureResponse(of(result)).success).length,
    tokens: compared.reduce((sum, result) => sum + measureResponse(of(result)).total_tokens, 0),
    medianLatencyMs: median(compared.map((result) => of(result).latency_ms)),
  });
  return {
    baseline: side(({ baseline }) => baseline),
    candidate: side(({ candidate }) => candidate),
    compared: compared.length,
  };
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
