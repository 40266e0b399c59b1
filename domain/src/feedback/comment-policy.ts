import { needsWords } from './broken-cases.ts';
import { runConclusion, worstCell } from './outcome.ts';
import type { RunReport } from './run-report.ts';

export type CommentMode = 'regressions' | 'changes' | 'always' | 'off';

/** Whether a finished run gets a comment where none is yet. An existing one is always brought up to date. */
export function shouldCreateComment(run: RunReport, mode: CommentMode): boolean {
  const conclusion = runConclusion(run);
  if (mode === 'off' || conclusion === null || conclusion === 'cancelled') return false;
  if (conclusion === 'failure' || conclusion === 'timed_out' || mode === 'always') return true;
  return mode === 'changes' && run.suites.some((suite) => isWorthTelling(suite));
}

function isWorthTelling(suite: RunReport['suites'][number]): boolean {
  const cell = worstCell(suite);
  if (cell.outcome === 'no-baseline') return cell.cases.some((one) => one.firstFailure !== null);
  const changedCases = cell.verdict?.cases.some((one) => one.base === null || one.head === null) ?? false;
  return cell.outcome === 'improved' || changedCases || needsWords(suite);
}
