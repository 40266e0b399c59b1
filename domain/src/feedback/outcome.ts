import { noRunners } from '@proofmark/contracts/pool';
import type { Conclusion, Verdict } from '@proofmark/contracts/verdict';
import { plural } from '../text/format-numbers.ts';
import {
  type CellReport,
  invalidHeadline,
  isInvalid,
  type Outcome,
  type RunReport,
  type SuiteReport,
} from './run-report.ts';

/** From what a reader has to know first to what can wait (docs/verdicts.md#every-verdict-in-its-own-words). */
const worstFirst: readonly Outcome[] = [
  'invalid',
  'regressed',
  'below-minimum',
  'error',
  'timed-out',
  'superseded',
  'cancelled',
  'running',
  'suspected',
  'insufficient',
  'no-baseline',
  'inconclusive',
  'unchanged',
  'improved',
  'unaffected',
];

const worstConclusionFirst: readonly Conclusion[] = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'neutral',
  'success',
];

/** What several suites share in the headline: `2 of 3 suites regressed`. */
const sharedPhrase: Record<Outcome, string> = {
  regressed: 'regressed',
  suspected: 'may have regressed, not proven',
  inconclusive: 'without enough evidence',
  insufficient: 'not compared',
  'no-baseline': 'without a baseline yet',
  improved: 'improved, no regression',
  unchanged: 'unchanged',
  'below-minimum': 'below the minimum pass rate',
  invalid: 'with invalid definitions',
  error: 'without a verdict',
  'timed-out': 'timed out',
  superseded: 'superseded',
  cancelled: 'cancelled',
  unaffected: 'not affected',
  running: 'running',
};

/** What one cell of a matrix came to is no headline for all of them. */
const worthCounting: ReadonlySet<Outcome> = new Set([
  'regressed',
  'suspected',
  'inconclusive',
  'insufficient',
  'no-baseline',
  'improved',
  'below-minimum',
  'error',
]);

export function outcomeOf(verdict: Verdict): Outcome {
  return verdict.belowMinimum ? 'below-minimum' : verdict.word;
}

/** The cell that decides what the suite's check says. Throws for a suite without cells, which no run has. */
export function worstCell(suite: SuiteReport): CellReport {
  const [first, ...rest] = suite.cells;
  if (first === undefined) throw new Error(`Suite ${suite.suiteName} has no cell`);
  return rest.reduce((worst, cell) => (rank(cell.outcome) < rank(worst.outcome) ? cell : worst), first);
}

/** Null while a cell is still running: a check is completed once. */
export function suiteConclusion(suite: SuiteReport): Conclusion | null {
  return worstConclusion(suite.cells.map((cell) => cell.conclusion));
}

/** The aggregate's colour: the worst suite, unaffected ones left out; a run that affects nothing is neutral. */
export function runConclusion(run: RunReport): Conclusion | null {
  if (run.awaitsApproval === true) return 'action_required';
  if (isInvalid(run)) return 'failure';
  const conclusions = run.suites.map(suiteConclusion).filter((one) => one !== 'skipped');
  return conclusions.length === 0 ? 'neutral' : worstConclusion(conclusions);
}

/** What a reader has to know first of the whole run. */
export function runOutcome(run: RunReport): Outcome {
  if (isInvalid(run)) return 'invalid';
  return sortWorstFirst(run.suites.map(worstCell), ({ outcome }) => outcome)[0]?.outcome ?? 'unaffected';
}

export function suiteTitle(suite: SuiteReport): string {
  const cell = worstCell(suite);
  if (cell.outcome === 'unaffected') return 'Not affected by this change';
  if (cell.outcome === 'running') return progressOf(suite.cells);
  const alike = suite.cells.filter(({ outcome }) => outcome === cell.outcome).length;
  if (suite.cells.length > 1 && worthCounting.has(cell.outcome)) {
    return `${alike} of ${suite.cells.length} cells ${sharedPhrase[cell.outcome]}`;
  }
  const title = cell.verdict?.title ?? cell.detail ?? 'No verdict';
  return cell.takenFrom === undefined ? title : `${title} (${cell.takenFrom})`;
}

/** One phrase for the whole run: the aggregate's title, the comment's headline and the last line of the log. */
export function headline(run: RunReport): string {
  if (run.awaitsApproval === true) return `Maintainer approval needed for ${run.headSha.slice(0, 7)}`;
  if (isInvalid(run)) return invalidHeadline(run.invalid ?? []);
  const affected = run.suites.filter((suite) => worstCell(suite).outcome !== 'unaffected');
  const [only] = affected;
  if (only === undefined) return nothingAffected(run.removedSuites?.length ?? 0);
  if (runConclusion(run) === null) return runProgress(run);
  if (affected.length === 1) return suiteTitle(only);
  const worst = affected.map((suite) => worstCell(suite).outcome).sort((a, b) => rank(a) - rank(b))[0] ?? 'error';
  if (worst === 'unchanged') return `No regression in ${affected.length} suites`;
  const alike = affected.filter((suite) => worstCell(suite).outcome === worst).length;
  return `${alike} of ${affected.length} suites ${sharedPhrase[worst]}`;
}

function nothingAffected(removed: number): string {
  if (removed === 0) return 'No suite is affected by this change';
  return `${plural(removed, 'suite')} removed, no other is affected by this change`;
}

/** Suites and cells from worst to best, equal ones in the order of the definitions. */
export function sortWorstFirst<T>(items: readonly T[], outcome: (item: T) => Outcome): T[] {
  return items.toSorted((a, b) => rank(outcome(a)) - rank(outcome(b)));
}

function rank(outcome: Outcome): number {
  return worstFirst.indexOf(outcome);
}

function worstConclusion(conclusions: readonly (Conclusion | null)[]): Conclusion | null {
  if (conclusions.includes(null)) return null;
  return worstConclusionFirst.find((one) => conclusions.includes(one)) ?? 'skipped';
}

function progressOf(cells: readonly CellReport[]): string {
  const sum = (pick: (cell: CellReport) => number) => cells.reduce((total, cell) => total + pick(cell), 0);
  return `${sum((cell) => cell.done)}/${sum((cell) => cell.total)} test runs`;
}

function runProgress(run: RunReport): string {
  const done = run.suites.filter((suite) => suiteConclusion(suite) !== null).length;
  const all = progressOf(run.suites.flatMap((suite) => suite.cells));
  const progress = run.suites.length === 1 ? all : `${all}, ${done} of ${run.suites.length} suites done`;
  const waits = noRunners(run.poolsWithoutRunners ?? []);
  return waits === '' ? progress : `${progress}, ${waits}`;
}

/** Whether something is worse than it was, or than it must be. What another job found stays so until that job says otherwise. */
export function hasRegression(run: RunReport): boolean {
  if (run.openRegressions !== undefined && run.openRegressions.length > 0) return true;
  const outcomes = run.suites.map((suite) => worstCell(suite).outcome);
  return outcomes.some((outcome) => outcome === 'regressed' || outcome === 'below-minimum');
}
