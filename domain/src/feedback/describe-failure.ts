import type { CaseOutcome, CheckResult, MetricResult } from '@proofmark/contracts/case-outcome';
import { cutLine } from '../text/visible-text.ts';

/** The part of a result that says why it did not pass. */
export type FailedResult = Pick<CaseOutcome, 'status' | 'errorKind' | 'errorMessage' | 'checks' | 'metrics'> & {
  toolsMatched: boolean | null;
  toolProblems: readonly string[];
  /** Names of tools that were called although no mock fitted the call. */
  unmatchedCalls?: readonly string[] | undefined;
  /** Absent: the case has none. */
  outcomes?: CaseOutcome['outcomes'];
};

const maxUnits = 200;

/** One line that names the first reason why a test run did not pass; null when it passed. */
export function describeFailure(result: FailedResult): string | null {
  if (result.status === 'passed') return null;
  const reason = result.status === 'error' ? errorReason(result) : failReason(result);
  return cutLine(reason, maxUnits);
}

function errorReason({ errorKind, errorMessage }: FailedResult): string {
  return `error (${errorKind ?? 'unknown'}): ${errorMessage ?? 'no message'}`;
}

function failReason(result: FailedResult): string {
  const [unmatched] = result.unmatchedCalls ?? [];
  // What went wrong afterwards may have come of it.
  const before = unmatched === undefined ? '' : `a call of ${unmatched} had no mock; `;
  return before + firstReason(result);
}

function firstReason(result: FailedResult): string {
  const [toolProblem] = result.toolProblems;
  if (result.toolsMatched === false) return `tools: ${toolProblem ?? 'not called as expected'}`;
  const check = result.checks.find((one) => one.status === 'fail');
  if (check !== undefined) return `${check.checkType}: ${checkReason(check)}`;
  const unmet = result.outcomes?.criteria.find(({ status }) => status === 'failed');
  if (unmet !== undefined) return `outcome ${unmet.id}: ${unmet.reasoning || 'not met'}`;
  const metric = result.metrics.find((one) => !one.passed);
  return metric === undefined ? 'failed' : `${metric.metric_name}: ${metricReason(metric)}`;
}

function checkReason({ details, error }: CheckResult): string {
  if (details.missingPhrases !== undefined && details.missingPhrases.length > 0) {
    return `${details.missingPhrases.map((phrase) => JSON.stringify(phrase)).join(', ')} missing`;
  }
  if (typeof details.similarityScore === 'number') {
    return `${details.similarityScore.toFixed(2)} is below ${details.threshold ?? 'the threshold'}`;
  }
  return details.reasoning ?? error ?? 'failed';
}

function metricReason({ score, threshold, error }: MetricResult): string {
  if (score === null) return error ?? 'no score';
  return threshold === null ? `score ${score.toFixed(2)}` : `${score.toFixed(2)} is below ${threshold.toFixed(2)}`;
}
