import type { CaseOutcome, CheckResult, MetricResult } from '@proofmark/contracts/case-outcome';

export interface Judged {
  error: { kind: CaseOutcome['errorKind']; message: string } | null;
  toolsMatched: boolean | null;
  /** The `expected_behavior` block and the outcomes, where there are any. */
  verdicts: readonly CheckResult['status'][];
  checks: readonly Pick<CheckResult, 'status' | 'error'>[];
  metrics: readonly (Pick<MetricResult, 'metric_name' | 'passed' | 'error'> & { failOnError: boolean })[];
}

export type Status = Pick<CaseOutcome, 'status' | 'errorKind' | 'errorMessage' | 'degraded'>;

/**
 * The status of a test run. An execution error decides alone, but a judge that was too slow or broke does not undo what has
 * failed already; a metric that errored counts only where it was told to.
 */
export function decideStatus({ error, toolsMatched, verdicts, checks, metrics }: Judged): Status {
  const failedMetric = metrics.some((metric) => metric.error === null && !metric.passed);
  const hasFailed = toolsMatched === false || verdicts.includes('fail') || failedMetric;
  if (error && !(error.kind === 'judge' && hasFailed)) {
    return { status: 'error', errorKind: error.kind, errorMessage: error.message, degraded: false };
  }
  const errored = metrics.filter((metric) => metric.error !== null);
  const degraded = error !== null || errored.length > 0 || checks.some((check) => check.status === 'error');
  if (hasFailed) return decided('failed', degraded);
  const unjudged = judgeError({ verdicts, checks, metrics, errored });
  if (unjudged !== undefined) return { status: 'error', errorKind: 'judge', errorMessage: unjudged, degraded };
  return decided('passed', degraded);
}

function decided(status: 'passed' | 'failed', degraded: boolean): Status {
  return { status, errorKind: null, errorMessage: null, degraded };
}

/** Why nothing can be concluded, or undefined when something can. */
function judgeError({
  verdicts,
  checks,
  metrics,
  errored,
}: Pick<Judged, 'verdicts' | 'checks' | 'metrics'> & { errored: Judged['metrics'] }): string | undefined {
  if (verdicts.includes('error'))
    return checks.find((check) => check.error !== null)?.error ?? 'A check could not be evaluated';
  const decisive =
    errored.find((metric) => metric.failOnError) ?? (errored.length === metrics.length ? errored[0] : undefined);
  return decisive && `Metric ${decisive.metric_name}: ${decisive.error}`;
}
