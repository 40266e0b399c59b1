import type { CaseComparison } from '@proofmark/contracts/verdict';
import { worstCell } from './outcome.ts';
import type { CaseReport, CellReport, RunReport, SuiteReport } from './run-report.ts';

export interface BrokenCase {
  suite: SuiteReport;
  cell: CellReport;
  comparison: CaseComparison;
  /** Null when the cell has no report of this case (it was removed). */
  report: CaseReport | null;
  /** Chance of so few passes if nothing had changed in this case. */
  p: number;
}

/** Cases that broke, strongest evidence first: flagged ones, and those that passed on the base and fail now. */
export function brokenCases(run: RunReport): BrokenCase[] {
  const cells = run.suites.flatMap((suite) => suite.cells.map((cell) => ({ suite, cell })));
  return cells.flatMap(({ suite, cell }) => brokenIn(suite, cell)).toSorted((a, b) => a.p - b.p);
}

/** Whether the suite needs words beside its row: everything that is not plainly good, or said by a judge that may err. */
export function needsWords(suite: SuiteReport): boolean {
  const { outcome, verdict } = worstCell(suite);
  const isDoubtful = verdict?.judge != null && (verdict.judge.isWeak || !verdict.judge.isMeasured);
  return isDoubtful || !['unchanged', 'improved', 'unaffected'].includes(outcome);
}

function brokenIn(suite: SuiteReport, cell: CellReport): BrokenCase[] {
  const { verdict } = cell;
  if (verdict === null) return [];
  const names = new Set([...verdict.flagged, ...verdict.alert.newlyFailing]);
  return verdict.cases
    .filter((one) => names.has(one.caseName))
    .map((comparison) => ({
      suite,
      cell,
      comparison,
      report: cell.cases.find((one) => one.caseName === comparison.caseName) ?? null,
      p: comparison.p ?? 1,
    }));
}
