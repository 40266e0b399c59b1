import type { ReportSummary, TestResult } from '@proofmark/contracts/test-report';
import { passRate } from '../results/pass-rate.ts';

/** What a summary is computed from: the counting fields of a result. */
export interface SummarizedResult {
  passed: boolean;
  execution_time_ms: number;
  metric_results: readonly Pick<TestResult['metric_results'][number], 'metric_name' | 'score'>[];
}

/** Counts and averages of a report's results. A score of 0 is a score; a metric that never had one does not appear. */
export function summarize(results: readonly SummarizedResult[]): ReportSummary {
  const passed = results.filter((result) => result.passed).length;
  const scores = scoresByMetric(results);
  return {
    total_tests: results.length,
    passed,
    failed: results.length - passed,
    pass_rate: passRate({ passed, total: results.length, skipped: 0 }),
    total_duration_ms: results.reduce((sum, result) => sum + result.execution_time_ms, 0),
    metrics_evaluated: Object.fromEntries(scores.map(([name, values]) => [name, values.length])),
    average_scores: Object.fromEntries(scores.map(([name, values]) => [name, average(values)])),
  };
}

function scoresByMetric(results: readonly SummarizedResult[]): [name: string, scores: number[]][] {
  const scores = new Map<string, number[]>();
  for (const { metric_name, score } of results.flatMap((result) => result.metric_results)) {
    if (score === null) continue;
    scores.set(metric_name, [...(scores.get(metric_name) ?? []), score]);
  }
  return [...scores];
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How many metrics of a result passed, and how many were evaluated at all. */
export function countMetrics(metrics: readonly { passed: boolean }[]): {
  metrics_passed: number;
  metrics_total: number;
} {
  return { metrics_passed: metrics.filter((metric) => metric.passed).length, metrics_total: metrics.length };
}
