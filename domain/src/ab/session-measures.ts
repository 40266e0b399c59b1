import type { ABSession, AgentResponse } from '@proofmark/contracts/ab-session';

/** What can be computed from one invocation (seed 003). */
interface ResponseMeasures {
  total_tokens: number;
  /** Completion tokens per millisecond; 0 when no time was measured. */
  tokens_per_ms: number;
  success: boolean;
}

type Measured = Pick<AgentResponse, 'prompt_tokens' | 'completion_tokens' | 'latency_ms' | 'error'>;

export function measureResponse({ prompt_tokens, completion_tokens, latency_ms, error }: Measured): ResponseMeasures {
  return {
    total_tokens: prompt_tokens + completion_tokens,
    tokens_per_ms: latency_ms === 0 ? 0 : completion_tokens / latency_ms,
    success: error === null,
  };
}

/** What can be computed from both answers to one question (seed 003). Differences are candidate minus baseline. */
interface ResponseComparison {
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

/** Share of invocations that succeeded, 0–1; 0 without any (seed 003). */
export function successRate({ successful, failed }: { successful: number; failed: number }): number {
  const total = successful + failed;
  return total === 0 ? 0 : successful / total;
}

/** What can be computed from a session (seed 003). */
interface SessionMeasures {
  duration_ms: number;
  test_count: number;
  /** Share of questions that both sides answered, 0–1; 0 without questions. */
  success_rate: number;
}

/** A session that is still open has lasted until `nowMs`. */
export function measureSession(session: ABSession, nowMs: number): SessionMeasures {
  const endMs = session.end_time === null ? nowMs : Date.parse(session.end_time);
  const successful = session.results.filter(
    ({ baseline, candidate }) => compareResponses(baseline, candidate).both_successful,
  ).length;
  return {
    duration_ms: endMs - Date.parse(session.start_time),
    test_count: session.results.length,
    success_rate: successRate({ successful, failed: session.results.length - successful }),
  };
}
