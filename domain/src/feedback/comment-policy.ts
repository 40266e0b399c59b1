import { needsWords } from './broken-cases.ts';
import { runConclusion, worstCell } from './outcome.ts';
import type { RunReport } from './run-report.ts';

export const commentModes = ['regressions', 'changes', 'always', 'off'] as const;
export type CommentMode = (typeof commentModes)[number];

/** Whether a finished run gets a comment where none is yet. An existing one is always brought up to date. */
export function shouldCreateComment(run: RunReport, mode: CommentMode): boolean {
  if (mode === 'off' || !isWorthShowing(run)) return false;
  if (isFailed(run) || mode === 'always') return true;
  return mode === 'changes' && !isGood(run);
}

/** Whether there is anything to say at all: not while it runs, nor before it may, nor when it was given up. */
export function isWorthShowing(run: RunReport): boolean {
  const conclusion = runConclusion(run);
  return conclusion !== null && conclusion !== 'cancelled' && conclusion !== 'action_required';
}

/**
 * Whether nobody has to look at the run: it ended, and there is nothing in it that a reader did not know. What somebody
 * took out of it is something to know: a case that fails no longer because it is gone resolves nothing.
 */
export function isGood(run: RunReport): boolean {
  const { removedSuites = [], openRegressions = [] } = run;
  const isWhole = removedSuites.length + openRegressions.length === 0;
  return isWorthShowing(run) && !isFailed(run) && isWhole && !run.suites.some(isWorthTelling);
}

/** Whether something is worse than it was, or than it must be. What another job found stays so until that job says otherwise. */
export function hasRegression(run: RunReport): boolean {
  if (run.openRegressions !== undefined && run.openRegressions.length > 0) return true;
  const outcomes = run.suites.map((suite) => worstCell(suite).outcome);
  return outcomes.some((outcome) => outcome === 'regressed' || outcome === 'below-minimum');
}

function isFailed(run: RunReport): boolean {
  const conclusion = runConclusion(run);
  return conclusion === 'failure' || conclusion === 'timed_out';
}

function isWorthTelling(suite: RunReport['suites'][number]): boolean {
  const cell = worstCell(suite);
  const compared = suite.cells.flatMap(({ verdict }) => verdict?.cases ?? []);
  if (compared.some(({ head }) => head === null)) return true;
  if (cell.outcome === 'no-baseline') return cell.cases.some((one) => one.firstFailure !== null);
  return cell.outcome === 'improved' || compared.some(({ base }) => base === null) || needsWords(suite);
}
