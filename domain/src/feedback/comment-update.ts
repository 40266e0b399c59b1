import { needsWords } from './broken-cases.ts';
import { commentBody, commentMarker, headingOf, resolvedBody, showsRegression } from './comment.ts';
import { runConclusion, worstCell } from './outcome.ts';
import type { RunReport } from './run-report.ts';

/** A comment of a pull request as it is on GitHub. */
export interface FoundComment {
  id: number;
  /** Its name in GraphQL. */
  nodeId: string;
  author: string | null;
  body: string;
}

/** What a run wants of the one comment of its pull request. */
export interface WantedComment {
  key: string;
  body: string;
  /** Instead of `body` where a regression is shown; null: this run resolves nothing. */
  resolvedBody: string | null;
  /** Whether there shall be a comment where none is yet. */
  createsComment: boolean;
  /** Nobody wants to see any: one from before is folded away. */
  hides: boolean;
}

/** Null: the comment stays as it is, if there is one. */
export function wantedComment(run: RunReport, key: string, mode: CommentMode): WantedComment | null {
  if (!isWorthShowing(run)) return null;
  if (mode === 'off') return { key, body: '', resolvedBody: null, createsComment: false, hides: true };
  return {
    key,
    body: commentBody(run, key),
    resolvedBody: isGood(run) ? resolvedBody(run, key) : null,
    createsComment: shouldCreateComment(run, mode),
    hides: false,
  };
}

/** Ours among all comments, by author and first line: the oldest is kept, younger ones were made by accident. */
export function ownComments(
  all: readonly FoundComment[],
  { key, author }: { key: string; author: string },
): { oldest: FoundComment | null; younger: FoundComment[] } {
  const marker = commentMarker(key);
  const [oldest = null, ...younger] = all
    .filter((one) => one.author === author && one.body.split(/\r?\n/, 1)[0] === marker)
    .toSorted((a, b) => a.id - b.id);
  return { oldest, younger };
}

/** In whose name the tokens of jobs write. */
export const actionsBot = 'github-actions[bot]';

/** What jobs wrote with their own token before the App was installed: the same marker in another name. */
export function commentsOfJobs(all: readonly FoundComment[], key: string): FoundComment[] {
  const { oldest, younger } = ownComments(all, { key, author: actionsBot });
  return oldest === null ? [] : [oldest, ...younger];
}

export type CommentStep =
  | { do: 'nothing' }
  | { do: 'create'; body: string }
  | { do: 'edit'; id: number; body: string }
  | { do: 'hide'; nodeId: string };

/** The one write that brings the comment up to date: an equal body is not sent at all. */
export function commentStep(found: FoundComment | null, wanted: WantedComment): CommentStep {
  if (found === null) return wanted.createsComment ? { do: 'create', body: wanted.body } : { do: 'nothing' };
  if (wanted.hides) return { do: 'hide', nodeId: found.nodeId };
  const body = resolves(found, wanted.resolvedBody) ?? wanted.body;
  return sameText(found.body, body) ? { do: 'nothing' } : { do: 'edit', id: found.id, body };
}

/** A commit without a result, and why nobody will have one for now. */
export interface NotEvaluated {
  headSha: string;
  why: string;
  /** There may still be a result. */
  waits?: true;
}

/** The comment goes on saying what it says about an older commit, and that it is not about this one. */
export function notEvaluatedStep(found: FoundComment | null, { headSha, why, waits }: NotEvaluated): CommentStep {
  if (found === null) return { do: 'nothing' };
  const note = `\`${headSha.slice(0, 7)}\` ${waits ? 'is not evaluated yet' : 'was not evaluated'}: ${why}`;
  const [heading = '', ...rest] = found.body.replaceAll('\r\n', '\n').split('\n\n');
  const others = rest.filter(
    (block) => !/^`[0-9a-f]{7}` (was not evaluated|is not evaluated yet): [\w ,-]+$/.test(block),
  );
  const body = [heading, note, ...others].join('\n\n');
  return sameText(found.body, body) ? { do: 'nothing' } : { do: 'edit', id: found.id, body };
}

/** The good news, as long as it is news: after a regression, and while the comment is about the same commit. */
function resolves({ body }: FoundComment, resolved: string | null): string | null {
  if (resolved === null) return null;
  return showsRegression(body) || headingOf(body) === headingOf(resolved) ? resolved : null;
}

/** GitHub may give line ends back in another form. */
const sameText = (a: string, b: string): boolean => a.replaceAll('\r\n', '\n') === b;

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
