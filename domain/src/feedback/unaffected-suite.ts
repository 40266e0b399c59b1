import type { CellReport, SuiteReport } from './run-report.ts';

const cell: CellReport = {
  cellKey: '',
  outcome: 'unaffected',
  conclusion: 'skipped',
  verdict: null,
  detail: null,
  done: 0,
  total: 0,
  costUsd: null,
  cases: [],
};

/** A suite that was not run because the change cannot affect it. */
export function unaffectedSuite(suiteName: string, suitePath: string): SuiteReport {
  return { suiteName, suitePath, cells: [cell] };
}
