import type { AgentResponse } from '@proofmark/contracts/ab-session';
import { measureResponse } from './response-measures.ts';

/** What can be computed from both answers to one question (seed 003). Differences are candidate minus baseline. */
export interface ResponseComparison {
  /** Negative: the candidate needs fewer tokens. */
  token_overhead: number;
  token_overhead_pct: number;
  /** Negative: the candidate is faster. */
  latency_diff_ms: number;
  /** Percent of the baseline's latency by the seed's formula: in spite of its name positive when slower. */
  latency_improvement_pct: number;
  /** Equal to `latency_improvement_pct`, under a name that says what it is. */
  latency_change_pct: number;
  response_length_ratio: number;
  both_successful: boolean;
}

/** Percentages of a baseline of 0 are 0, the length ratio to an empty answer is 1. */
export function compareResponses(baseline: AgentResponse, candidate: AgentResponse): ResponseComparison {
  const [before, after] = [measureResponse(baseline), measureResponse(candidate)];
  const tokenOverhead = after.total_tokens - before.total_tokens;
  const latencyDiffMs = candidate.latency_ms - baseline.latency_ms;
  const latencyChangePct = percentOf(latencyDiffMs, baseline.latency_ms);
  return {
    token_overhead: tokenOverhead,
    token_overhead_pct: percentOf(tokenOverhead, before.total_tokens),
    latency_diff_ms: latencyDiffMs,
    latency_improvement_pct: latencyChangePct,
    latency_change_pct: latencyChangePct,
    response_length_ratio: lengthRatio(baseline.response, candidate.response),
    both_successful: before.success && after.success,
  };
}

const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);

/** Lengths in characters, not in UTF-16 units, as the seed's own tool counts them. */
function lengthRatio(baseline: string, candidate: string): number {
  const length = Array.from(baseline).length;
  return length === 0 ? 1 : Array.from(candidate).length / length;
}
