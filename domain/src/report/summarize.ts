import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { ReportSummary, TestResult } from '@proofmark/contracts/test-report';
import { passRate } from '../results/totals.ts';

/** What a summary is computed from: the counting fields of a result. */
export interface SummarizedResult {
  passed: boolean;
  execution_time_ms: number;
  metric_results: readonly Pick<TestResult['metric_results'][number], 'metric_name' | 'score'>[];
}

/** Counts and averages of a report's results. A score of 0 is a score; a metric that never had one does not appear. */
export function summarize(results: readonly SummarizedResult[]): ReportSummary {
  const summary = openSummary();
  for (const result of results) summary.add(result);
  return summary.end();
}

/** The same for results that come one after another. */
export function openSummary(): { add: (result: SummarizedResult) => void; end: () => ReportSummary } {
  let [total, passed, durationMs] = [0, 0, 0];
  const scores = new Map<string, { count: number; sum: number }>();
  return {
    add: (result) => {
      total += 1;
      passed += result.passed ? 1 : 0;
      durationMs += result.execution_time_ms;
      for (const { metric_name, score } of result.metric_results) {
        if (score === null) continue;
        const { count, sum } = scores.get(metric_name) ?? { count: 0, sum: 0 };
        scores.set(metric_name, { count: count + 1, sum: sum + score });
      }
    },
    end: () => ({
      total_tests: total,
      passed,
      failed: total - passed,
      pass_rate: passRate({ passed, total, skipped: 0 }),
      total_duration_ms: durationMs,
      metrics_evaluated: Object.fromEntries([...scores].map(([name, { count }]) => [name, count])),
      average_scores: Object.fromEntries([...scores].map(([name, { count, sum }]) => [name, sum / count])),
    }),
  };
}

/** How many metrics of a result passed, and how many were evaluated at all. */
export function countMetrics(metrics: readonly { passed: boolean }[]): {
  metrics_passed: number;
  metrics_total: number;
} {
  return { metrics_passed: metrics.filter((metric) => metric.passed).length, metrics_total: metrics.length };
}

/** Test runs whose cases share a difficulty or a tag. */
export interface ResultGroup {
  by: 'difficulty' | 'tag';
  name: string;
  passed: number;
  executed: number;
  /** Percent 0–100. */
  passRate: number | null;
}

interface GroupedResult {
  case: Pick<TestCase, 'difficulty' | 'tags'>;
  outcome: Pick<CaseOutcome, 'status'>;
}

/** How each difficulty and each tag fared, in the order in which they first occur; a test run counts once for each of its tags. */
export function groupResults(results: readonly GroupedResult[]): ResultGroup[] {
  const difficulties = results.map((result) => ({ name: result.case.difficulty, result }));
  const tags = results.flatMap((result) => result.case.tags.map((name) => ({ name, result })));
  return [...groupsOf('difficulty', difficulties), ...groupsOf('tag', tags)];
}

function groupsOf(by: ResultGroup['by'], named: readonly { name: string; result: GroupedResult }[]): ResultGroup[] {
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, members]) => {
    const passed = members.filter(({ result }) => result.outcome.status === 'passed').length;
    const executed = members.length;
    return { by, name, passed, executed, passRate: passRate({ passed, total: executed, skipped: 0 }) };
  });
}

/**
 * The pass rate in which each difficulty counts alike, so that many easy cases hide no hard ones; percent 0–100. Null where
 * there are no two to weigh.
 */
export function balancedPassRate(groups: readonly ResultGroup[]): number | null {
  const rates = groups.flatMap(({ by, passRate: rate }) => (by === 'difficulty' && rate !== null ? [rate] : []));
  return rates.length < 2 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
