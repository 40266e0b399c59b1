import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { type Discordant, mcnemarExact } from '../statistics/mcnemar.ts';
import { type MeanDifference, meanDifference } from '../statistics/mean-difference.ts';
import { reduceValues } from '../statistics/reduce-values.ts';
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
  /** Candidate − baseline per question with its 95% interval; null without two such questions. */
  tokens: MeanDifference | null;
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
    latencyMs: meanDifference(compared.map(({ baseline, candidate }) => candidate.latency_ms - baseline.latency_ms)),
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
