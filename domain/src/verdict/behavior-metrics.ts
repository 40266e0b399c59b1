import type { CaseOutcome, CheckResult, MetricResult, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';

const [block, outcomes] = ['expected_behavior', 'expected_outcomes'] as const;

/** Whether the name is that of checks and outcomes and not of a metric. */
export const isBehavior = (name: string): boolean => name === block || name === outcomes || /^turn \d+$/.test(name);

/**
 * The `expected_behavior` block and the outcomes as metrics, which is how a report file shows them.
 * Nothing for a case without them or a test run that was never judged.
 */
export function behaviorMetrics(testCase: TestCase, outcome: CaseOutcome): MetricResult[] {
  const metrics: MetricResult[] = [];
  const judging = outcome.checks.filter(({ status }) => status !== 'skip');
  const ofTurn = (turn?: number): CheckResult[] => judging.filter((check) => check.turn === turn);
  for (const [index, turn] of (testCase.turns ?? []).entries()) {
    const checks = ofTurn(index);
    const mode = turn.expected_behavior?.mode ?? 'all';
    if (checks.length > 0) metrics.push({ ...blockMetric(mode, checks), metric_name: `turn ${index + 1}` });
  }
  const whole = ofTurn();
  if (testCase.expected_behavior !== null && whole.length > 0) {
    metrics.push(blockMetric(testCase.expected_behavior.mode, whole));
  }
  if (outcome.outcomes !== null) metrics.push(outcomesMetric(outcome.outcomes));
  return metrics;
}

function blockMetric(mode: 'all' | 'any', checks: readonly CheckResult[]): MetricResult {
  const status = blockStatus(mode, checks);
  const score = status === 'error' ? null : Number(status === 'pass');
  return {
    ...emptyMetric,
    metric_name: block,
    score,
    passed: score === 1,
    error: errorOf(checks, score),
  };
}

/** One fail decides `all`, one pass decides `any`, an error leaves either open. */
function blockStatus(mode: 'all' | 'any', checks: readonly CheckResult[]): CheckResult['status'] {
  const decisive = mode === 'all' ? 'fail' : 'pass';
  if (checks.some((check) => check.status === decisive)) return decisive;
  if (checks.some((check) => check.status === 'error')) return 'error';
  return mode === 'all' ? 'pass' : 'fail';
}

function outcomesMetric({ passed, score, error }: OutcomesVerdict): MetricResult {
  return {
    ...emptyMetric,
    metric_name: outcomes,
    score,
    passed: passed === true,
    error: score === null ? (error ?? 'the outcomes could not be judged') : null,
  };
}

const errorOf = (checks: readonly CheckResult[], score: number | null): string | null =>
  score === null ? (checks.find((check) => check.status === 'error')?.error ?? 'a check ended in an error') : null;

const emptyMetric = { threshold: 1, scale: 1, retry_count: 0, evaluation_time_ms: 0, model_used: null };
