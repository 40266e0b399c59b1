import type { CaseComparison } from '@proofmark/contracts/verdict';
import { hasJudgedHead } from './cell-text.ts';
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

/** Cases that fail where nothing can say whether they broke: without a base, or with too little of one. Worst first. */
export function failingCases(run: RunReport): BrokenCase[] {
  const cells = run.suites.flatMap((suite) => suite.cells.map((cell) => ({ suite, cell })));
  return cells.flatMap(({ suite, cell }) => {
    if (!['no-baseline', 'below-minimum', 'insufficient', 'error'].includes(cell.outcome)) return [];
    const broken = new Set(brokenIn(suite, cell).map(({ comparison }) => comparison.caseName));
    return (cell.verdict?.cases ?? []).flatMap((comparison) => {
      const report = cell.cases.find((one) => one.caseName === comparison.caseName) ?? null;
      const isShown = report !== null && report.firstFailure !== null && !broken.has(comparison.caseName);
      return isShown ? [{ suite, cell, comparison, report, p: 1 }] : [];
    });
  });
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
  return (
    verdict.cases
      // Where the agent gave no answer at all, that is said once and not for each case.
      .filter((one) => names.has(one.caseName) && (verdict.reason !== 'errors' || hasJudgedHead(one)))
      .map((comparison) => ({
        suite,
        cell,
        comparison,
        report: cell.cases.find((one) => one.caseName === comparison.caseName) ?? null,
        p: comparison.p ?? 1,
      }))
  );
}
