import type { ErrorKind } from '@proofmark/contracts/error-kind';

/** How test runs end that nobody will run any more. */
export type Closing =
  | { status: 'skipped'; skipReason: string }
  | { status: 'error'; errorKind: ErrorKind; errorMessage: string };

/** What somebody has decided about a suite run: how its open test runs end, and then it. */
export interface Ending {
  closing: Closing;
  status: 'completed' | 'failed' | 'cancelled';
  reason: string | null;
}

/** The totals of a suite run, and whether it is over. What each of its test runs is stands in its chunks and results. */
export interface SuiteRun {
  status: 'pending' | 'running' | Ending['status'];
  ending: Ending | null;
  total: number;
  passed: number;
  /** Errors among them. */
  failed: number;
  errored: number;
  skipped: number;
  /** In the totals already, while their rows are still to be written. */
  unwritten: number;
}

export type ResultStatus = 'passed' | 'failed' | 'error' | 'skipped';

export const isOver = ({ status }: Pick<SuiteRun, 'status'>): boolean => status !== 'pending' && status !== 'running';

/** Test runs that are in no total yet. */
export const openCount = ({ total, passed, failed, skipped }: SuiteRun): number => total - passed - failed - skipped;

/** With new rows of test runs that were open. */
export function countIn(suiteRun: SuiteRun, rows: readonly ResultStatus[]): SuiteRun {
  const count = (...statuses: ResultStatus[]) => rows.filter((status) => statuses.includes(status)).length;
  return {
    ...suiteRun,
    status: suiteRun.status === 'pending' ? 'running' : suiteRun.status,
    passed: suiteRun.passed + count('passed'),
    failed: suiteRun.failed + count('failed', 'error'),
    errored: suiteRun.errored + count('error'),
    skipped: suiteRun.skipped + count('skipped'),
  };
}

/**
 * Decides that it ends, however much of it is open: its totals are final from then on, and the rows of what did not run
 * follow. Whoever decides first has decided; only a cancel ends at once what somebody else has decided to end.
 */
export function decideEnd(suiteRun: SuiteRun, ending: Ending): SuiteRun {
  if (isOver(suiteRun)) return suiteRun;
  const isCancelled = ending.status === 'cancelled';
  if (suiteRun.ending !== null) return isCancelled ? finish(suiteRun, ending.status) : suiteRun;
  const open = openCount(suiteRun);
  const isError = ending.closing.status === 'error';
  const decided: SuiteRun = {
    ...suiteRun,
    ending,
    unwritten: open,
    failed: suiteRun.failed + (isError ? open : 0),
    errored: suiteRun.errored + (isError ? open : 0),
    skipped: suiteRun.skipped + (isError ? 0 : open),
  };
  return isCancelled || open === 0 ? finish(decided, ending.status) : decided;
}

/** So many of the rows that a decided end left to be written are there; with the last of them it ends as was decided. */
export function writeOff(suiteRun: SuiteRun, written: number): SuiteRun {
  const left = { ...suiteRun, unwritten: suiteRun.unwritten - written };
  return left.unwritten === 0 && left.ending !== null ? finish(left, left.ending.status) : left;
}

/** Its final status. One that has it already keeps it, and one of which rows are to be written waits, unless it is cancelled. */
export function finish(suiteRun: SuiteRun, status: Ending['status']): SuiteRun {
  if (isOver(suiteRun) || (suiteRun.unwritten > 0 && status !== 'cancelled')) return suiteRun;
  return { ...suiteRun, status };
}
