import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { Verdict } from '@proofmark/contracts/verdict';
import type { FailureReasons } from '../report/report-markdown.ts';
import type { State } from '../text/state-words.ts';

/** The few facts of a test run that every line of a page shows; null where nothing is known. */
export interface TestRunFacts {
  repetition: number;
  latencyMs: number | null;
  tokens: number | null;
  costUsd: number | null;
  /** Whatever else is known, under the name that its document gives it. */
  named?: readonly (readonly [name: string, value: string])[];
}

/** What was kept of a test run beside its line in the report. */
export interface KeptTestRun {
  outcome: CaseOutcome;
  variables: ResolvedVariables | null;
}

/** A report with what is known beside it. Maps are by the position of a result in the report. */
export interface ReportWithFacts {
  report: TestReport;
  reasons?: FailureReasons;
  facts?: ReadonlyMap<number, TestRunFacts>;
  kept?: ReadonlyMap<number, KeptTestRun>;
  verdict?: Verdict | null;
  /** What it cost with all that helped to judge it; absent or null: what its test runs cost. */
  costUsd?: number | null;
}

export type StateCounts = Readonly<Record<State, number>>;

/** An error is neither right nor wrong: nothing was judged. */
export function stateOf({ passed, errors }: Pick<TestResult, 'passed' | 'errors'>): State {
  if (passed) return 'passed';
  return errors.length > 0 ? 'error' : 'failed';
}

export function countStates(reports: readonly TestReport[]): StateCounts {
  const counts = { failed: 0, error: 0, passed: 0, skipped: 0 };
  for (const { results, skipped } of reports) {
    counts.skipped += skipped.length;
    for (const result of results) counts[stateOf(result)] += 1;
  }
  return counts;
}

export const executedOf = ({ passed, failed, error }: StateCounts): number => passed + failed + error;
