import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { ExecutionStats, type InvocationCounts } from '@proofmark/contracts/execution-stats';
import { type Discordant, mcnemarExact } from '../statistics/exact-tests.ts';
import { type MeanDifference, meanDifference, trimmedDifference } from '../statistics/intervals.ts';
import { reduceValues } from '../statistics/repetitions.ts';
import {
  formatProbability,
  formatRate,
  formatShare,
  formatSigned,
  plural,
  twoDecimals,
} from '../text/format-numbers.ts';

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
  /** Candidate − baseline per question with its 95% interval; null without two such questions. */
  tokens: MeanDifference | null;
  /** The same without the fifth of the questions at each end, which a machine that was busy for a moment may have made. */
  latencyMs: MeanDifference | null;
  /** Of questions that were judged on both sides, how many the candidate alone failed and passed. */
  judged: Discordant & { questions: number; midp: number };
}

/** Both sides of a session in numbers; how they are judged is not part of it. */
export function summarizeSession({ results }: Pick<ABSession, 'results'>): SessionSummary {
  const compared = results.filter(({ baseline, candidate }) => compareResponses(baseline, candidate).both_successful);
  const side = (of: (result: ABTestResult) => AgentResponse): SideSummary => ({
    errors: results.filter((result) => !measureResponse(of(result)).success).length,
    tokens: compared.reduce((sum, result) => sum + measureResponse(of(result)).total_tokens, 0),
    medianLatencyMs: reduceValues(
      compared.map((result) => of(result).latency_ms),
      { kind: 'median' },
    ),
  });
  return {
    baseline: side(({ baseline }) => baseline),
    candidate: side(({ candidate }) => candidate),
    compared: compared.length,
    tokens: meanDifference(compared.map(({ baseline, candidate }) => totalTokens(candidate) - totalTokens(baseline))),
    latencyMs: trimmedDifference(compared.map(({ baseline, candidate }) => candidate.latency_ms - baseline.latency_ms)),
    judged: judgeBoth(compared),
  };
}

const totalTokens = (response: AgentResponse): number => measureResponse(response).total_tokens;

/** Questions asked once on each side: McNemar's table. */
function judgeBoth(results: readonly ABTestResult[]): SessionSummary['judged'] {
  const pairs = results.flatMap(({ metadata: { baseline_status: before, candidate_status: after } }) =>
    isJudged(before) && isJudged(after) ? [{ before, after }] : [],
  );
  const losses = pairs.filter(({ before, after }) => before === 'passed' && after === 'failed').length;
  const wins = pairs.filter(({ before, after }) => before === 'failed' && after === 'passed').length;
  return { questions: pairs.length, losses, wins, midp: mcnemarExact({ losses, wins }).midPRegression };
}

const isJudged = (status: unknown): boolean => status === 'passed' || status === 'failed';

/** What changed in words that say the direction: the sign of `latency_improvement_pct` does not. */
export function tokenWords(baseline: number, candidate: number): string {
  if (baseline === candidate) return 'as many tokens';
  const difference = Math.abs(candidate - baseline);
  const direction = candidate < baseline ? 'fewer' : 'more';
  return `${plural(difference, `${direction} token`)}${baseline === 0 ? '' : ` (${percent(difference, baseline)})`}`;
}

/** `25% faster`, `12.50 ms slower` where there is no time to take a share of. */
export function latencyWords(baselineMs: number, candidateMs: number): string {
  if (baselineMs === candidateMs) return 'as fast';
  const difference = Math.abs(candidateMs - baselineMs);
  const amount = baselineMs === 0 ? `${twoDecimals(difference)} ms` : percent(difference, baselineMs);
  return `${amount} ${candidateMs < baselineMs ? 'faster' : 'slower'}`;
}

/** How much faster or slower the candidate is in the middle of its questions; two of them at least tell their own difference. */
export function sessionLatencyWords({ baseline, candidate, latencyMs }: SessionSummary): string {
  const before = baseline.medianLatencyMs ?? 0;
  return latencyWords(before, latencyMs === null ? (candidate.medianLatencyMs ?? 0) : before + latencyMs.mean);
}

/** `+12.5 tokens per question, 95% interval −3.0 to +28.0`: how sure a difference is. */
export function differenceWords({ mean, lo, hi }: MeanDifference, unit: string): string {
  return `${formatSigned(mean)} ${unit} per question, 95% interval ${formatSigned(lo)} to ${formatSigned(hi)}`;
}

/** What became of the questions that were judged on both sides; empty when none was. */
export function judgedWords({ questions, losses, wins, midp }: SessionSummary['judged']): string {
  if (questions === 0) return '';
  const counts = `Of ${plural(questions, 'question')} judged on both sides the candidate lost ${losses} and won ${wins}`;
  if (losses + wins === 0) return `${counts}.`;
  return `${counts}; at equal quality it loses as many in ${formatShare(midp)} of comparisons (mid-p ${formatProbability(midp)}).`;
}

const percent = (part: number, whole: number): string => formatRate((part / whole) * 100);

/** One try of an agent. */
export interface Invocation {
  model: string;
  /** Tries that failed before this one. */
  retriesDone: number;
  /** Class of the error, or `timeout`; null: it succeeded. */
  failure: string | null;
}

export const noExecutions = (): ExecutionStats => ExecutionStats.parse({});

/** The statistics with one more invocation, counted for the whole and for its model. */
export function countInvocation({ models, ...whole }: ExecutionStats, invocation: Invocation): ExecutionStats {
  const { models: _none, ...empty } = noExecutions();
  const ofModel = Object.hasOwn(models, invocation.model) ? (models[invocation.model] ?? empty) : empty;
  return {
    ...counted(whole, invocation),
    models: { ...models, [invocation.model]: counted(ofModel, invocation) },
  };
}

function counted(counts: InvocationCounts, { model, retriesDone, failure }: Invocation): InvocationCounts {
  const total_invocations = counts.total_invocations + 1;
  if (failure === null) {
    return {
      ...counts,
      total_invocations,
      successful_invocations: counts.successful_invocations + 1,
      retry_count: retriesDone === 0 ? counts.retry_count : oneMore(counts.retry_count, String(retriesDone)),
    };
  }
  const failed = { ...counts, total_invocations, failed_invocations: counts.failed_invocations + 1 };
  return failure === 'timeout'
    ? { ...failed, timeouts: oneMore(counts.timeouts, model) }
    : { ...failed, errors_by_type: oneMore(counts.errors_by_type, failure) };
}

const oneMore = (counts: Readonly<Record<string, number>>, key: string): Record<string, number> => ({
  ...counts,
  [key]: (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1,
});

/** The statistics as their file holds them: with the share of invocations that succeeded. */
export function statsDocument({ models, ...whole }: ExecutionStats): object {
  const withRate = (counts: InvocationCounts): object => ({
    ...counts,
    success_rate: successRate({ successful: counts.successful_invocations, failed: counts.failed_invocations }),
  });
  return {
    ...withRate(whole),
    models: Object.fromEntries(Object.entries(models).map(([model, counts]) => [model, withRate(counts)])),
  };
}
