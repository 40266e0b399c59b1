import type { ErrorKind, TestRunStatus } from '@proofmark/contracts/error-kind';
import type { Trial } from '@proofmark/domain/decide-verdict';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import type { Place } from './result-log.ts';

/** What is kept in memory of a test run: its status. Everything else is on disk. */
export interface TestRunRow {
  testRun: PlannedTestRun;
  status: TestRunStatus;
  errorKind: ErrorKind | null;
  /** Null when it was run. */
  skipReason: string | null;
  /** Where its result stands; null when it was not run. */
  place: Place | null;
}

/** Rows in the order of the suite, repetition by repetition. */
export const inSuiteOrder = (rows: readonly TestRunRow[]): TestRunRow[] =>
  [...rows].sort((a, b) => a.testRun.sortOrder - b.testRun.sortOrder || a.testRun.repetition - b.testRun.repetition);

/** The rows as the gate sees them. */
export function trialsOf({ settingKey }: PlannedSuiteRun, rows: readonly TestRunRow[]): Trial[] {
  return inSuiteOrder(rows).map(({ testRun, status, errorKind }) => ({
    caseName: testRun.caseName,
    comparabilityKey: JSON.stringify([testRun.caseHash, testRun.instrumentHash, settingKey]),
    status,
    errorKind,
  }));
}
