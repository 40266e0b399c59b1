import type { CaseOutcome, CheckResult, MetricResult } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';

/** The type of the checks that a judge of outcomes yields, one per key of `expected_outcomes`. */
export const OUTCOME_CHECK = 'expected_outcome';

/**
 * The `expected_behavior` block and the outcomes as metrics, which is how a report file shows them.
 * Nothing for a case without them or a test run that was never judged.
 */
export function behaviorMetrics(testCase: TestCase, outcome: CaseOutcome): MetricResult[] {
  const outcomes = outcome.checks.filter((check) => check.checkType === OUTCOME_CHECK);
  const block = outcome.checks.filter((check) => check.checkType !== OUTCOME_CHECK);
  const metrics: MetricResult[] = [];
  if (testCase.expected_behavior !== null && block.length > 0) {
    metrics.push(blockMetric(testCase.expected_behavior.mode, block));
  }
  if (outcomes.length > 0) metrics.push(outcomesMetric(outcomes));
  return metrics;
}

function blockMetric(mode: 'all' | 'any', checks: readonly CheckResult[]): MetricResult {
  const status = blockStatus(mode, checks);
  const score = status === 'error' ? null : Number(status === 'pass');
  return {
    ...emptyMetric,
    metric_name: 'expected_behavior',
    score,
    passed: score === 1,
    error: errorOf(checks, score),
  };
}

/** Evaluation, section 6: one fail decides `all`, one pass decides `any`, an error leaves either open. */
function blockStatus(mode: 'all' | 'any', checks: readonly CheckResult[]): CheckResult['status'] {
  const decisive = mode === 'all' ? 'fail' : 'pass';
  if (checks.some((check) => check.status === decisive)) return decisive;
  if (checks.some((check) => check.status === 'error')) return 'error';
  return mode === 'all' ? 'pass' : 'fail';
}

function outcomesMetric(checks: readonly CheckResult[]): MetricResult {
  const isOpen = checks.every((check) => check.status !== 'fail') && checks.some((check) => check.status === 'error');
  const score = isOpen ? null : checks.filter((check) => check.status === 'pass').length / checks.length;
  return {
    ...emptyMetric,
    metric_name: 'expected_outcomes',
    score,
    passed: score === 1,
    error: errorOf(checks, score),
  };
}

const errorOf = (checks: readonly CheckResult[], score: number | null): string | null =>
  score === null ? (checks.find((check) => check.status === 'error')?.error ?? 'a check ended in an error') : null;

const emptyMetric = { threshold: 1, scale: 1, retry_count: 0, evaluation_time_ms: 0, model_used: null };
