import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';

/** One test run with the position of its suite run in the plan. */
export interface OrderedTestRun {
  suiteRun: number;
  testRun: PlannedTestRun;
}

/**
 * All test runs in the order in which they start: suite by suite and cell by cell, the two sides of a comparison side by
 * side, so that a provider that drifts meets both.
 */
export function orderTestRuns(suiteRuns: readonly PlannedSuiteRun[]): OrderedTestRun[] {
  const all = suiteRuns.flatMap(({ testRuns }, suiteRun) => testRuns.map((testRun) => ({ suiteRun, testRun })));
  const groups = Map.groupBy(all, ({ suiteRun }) => sideBySide(suiteRuns[suiteRun]));
  return [...groups.values()].flatMap((group) => group.sort(byRound));
}

const sideBySide = (suiteRun: PlannedSuiteRun | undefined): string =>
  JSON.stringify([suiteRun?.suitePath, suiteRun?.cellKey]);

const byRound = (a: OrderedTestRun, b: OrderedTestRun): number =>
  a.testRun.repetition - b.testRun.repetition || a.testRun.sortOrder - b.testRun.sortOrder || a.suiteRun - b.suiteRun;
