import type { Variant } from '@proofmark/contracts/case-work';
import type { BaselineChoice, EarlyStop, Verdict } from '@proofmark/contracts/verdict';
import type { SuiteRunPurpose } from '@proofmark/contracts/words';
import { wantsConfirmation } from '../verdict/confirm.ts';
import type { Trial } from '../verdict/count-trials.ts';
import { decideCells } from '../verdict/decide-verdict.ts';
import { describeJudgedAgain, withJudgedAgain } from '../verdict/judge-again.ts';
import { findEarlyStop, type RunningCell } from '../verdict/stop-early.ts';
import type { VerdictInput } from '../verdict/verdict-input.ts';

/** A suite run among those of its suite in one run, wherever its trials are kept. */
export interface SideOfCell {
  cellKey: string;
  variant: Variant;
  purpose: SuiteRunPurpose;
}

/** The suite runs that the verdict on one cell rests on. */
export interface CellSides<Side> {
  head: Side;
  /** The base that ran beside it. */
  beside: Side | null;
  /** Both sides once more, which settle a suspicion. */
  fresh: { head: Side; base: Side } | null;
  /** More of the base, because it drifted from its history. */
  drift: Side | null;
  /** What the base said in an earlier run, judged by the judge of this one. */
  rejudged: Side | null;
  /** Every suite run of the cell. */
  all: readonly Side[];
}

/** Everything else is part of what such a suite run is judged by, or is judged by nobody. */
export const hasVerdict = ({ variant, purpose }: SideOfCell): boolean => variant !== 'baseline' && purpose === 'first';

/** The suite runs of the cell of `head`, among all of its suite. */
export function sidesOfCell<Side extends SideOfCell>(head: Side, ofSuite: readonly Side[]): CellSides<Side> {
  const all = ofSuite.filter(({ cellKey }) => cellKey === head.cellKey);
  const find = (wanted: SuiteRunPurpose, isBaseline: boolean): Side | null =>
    all.find(({ purpose, variant }) => purpose === wanted && (variant === 'baseline') === isBaseline) ?? null;
  const [freshHead, freshBase] = [find('confirm', false), find('confirm', true)];
  return {
    head,
    all,
    beside: find('first', true),
    fresh: freshHead === null || freshBase === null ? null : { head: freshHead, base: freshBase },
    drift: find('drift', true),
    rejudged: find('rejudge', true),
  };
}

/** An earlier run of the base that a suite run is held against. */
export interface StoredBase {
  trials: readonly Trial[];
  /** What its answers came to under the judge of the head; null: nobody judged them again. */
  again: readonly Trial[] | null;
  /** Its results are those of a pull request: heads that were merged had been selected for passing. */
  isTaken: boolean;
  /** Null where nobody knows it. */
  commit: string | null;
  /** Null: nobody had a choice. */
  choice: BaselineChoice | null;
}

/** What was read about one cell. */
export interface CellFacts
  extends Omit<VerdictInput, 'base' | 'isConcurrent' | 'judgedAgain' | 'baseline' | 'canConfirm'> {
  /** The trials of the base that ran beside the head; null: none did. */
  beside: readonly Trial[] | null;
  stored: StoredBase | null;
  /** Where the base that ran beside stands; null: as the stored one does. */
  besideChoice?: BaselineChoice | null;
  /** Both sides can run once more when somebody wants it. */
  canRerun: boolean;
}

export interface CellEvidence {
  input: VerdictInput;
  /** It is compared with answers that only another judge has judged. */
  isJudgedOtherwise: boolean;
}

/** What the verdict on a cell rests on. What ran beside goes before what was stored, and never are both the base. */
export function evidenceOf({ beside, stored, besideChoice, canRerun, ...facts }: CellFacts): CellEvidence {
  const { head } = facts;
  const again = stored?.again ?? [];
  const earlier = stored && withJudgedAgain({ stored: stored.trials, again });
  const isComparedWithStored = stored !== null && beside === null && !stored.isTaken;
  const judgedAgain = isComparedWithStored
    ? describeJudgedAgain({ stored: stored.trials, again, head, commit: stored.commit })
    : null;
  return {
    isJudgedOtherwise: judgedAgain !== null && stored?.again === null,
    input: {
      ...(earlier === null ? {} : { previous: earlier }),
      ...facts,
      // What a base took over from the heads that were merged is shown, and counts for nothing.
      base: beside ?? (stored?.isTaken ? [] : earlier),
      isConcurrent: beside !== null,
      judgedAgain,
      baseline: besideChoice ?? stored?.choice ?? null,
      canConfirm: beside !== null && canRerun,
    },
  };
}

/** What is run again before a verdict stands. */
export type FollowUp = 'rejudge' | 'drift' | 'confirm';

export interface JudgedCell {
  verdict: Verdict;
  /** What it leaves open, first things first. */
  asks: readonly FollowUp[];
}

/** The verdicts on all cells of a suite together, in the same order. */
export function judgeCells(cells: readonly CellEvidence[]): JudgedCell[] {
  return decideCells(cells.map(({ input }) => input)).map((verdict, index) => ({
    verdict,
    asks: asksOf(verdict, cells[index]),
  }));
}

/** The judge of the head judges what the base said under another one; then the base is looked at, then the suspicion. */
const asksOf = (verdict: Verdict, cell: CellEvidence | undefined): FollowUp[] => [
  ...(cell?.isJudgedOtherwise ? ['rejudge' as const] : []),
  ...(verdict.drift === null ? [] : ['drift' as const]),
  ...(wantsConfirmation(verdict) ? ['confirm' as const] : []),
];

/** A cell of which a further round is complete. */
export interface RunningRounds<Side> extends Pick<RunningCell, 'input' | 'outstanding' | 'completeRounds'> {
  head: Side;
  /** All suite runs of the suite. */
  ofSuite: readonly Side[];
  rounds: number;
  /** Of its two sides: what was spent, on how many test runs with a known price, of how many planned. */
  spending: { spentUsd: number | null; priced: number; planned: number };
}

/** How a running cell ends after this round, null when it goes on. */
export function endAfterRound<Side extends SideOfCell>(running: RunningRounds<Side>): EarlyStop | null {
  const { input, head, ofSuite, outstanding, completeRounds, rounds, spending } = running;
  const cells = ofSuite.filter((one) => hasVerdict(one) && one.cellKey !== head.cellKey).length;
  // Every cell asks the same cases.
  const cases = cells * new Set(input.head.map(({ caseName }) => caseName)).size;
  const stop = findEarlyStop({ input, outstanding, completeRounds, others: { cells, cases } });
  if (stop === null) return null;
  const { spentUsd, priced, planned } = spending;
  const isPriced = spentUsd !== null && priced > 0;
  return {
    ...stop,
    round: completeRounds,
    rounds,
    spentUsd: isPriced ? spentUsd : null,
    plannedUsd: isPriced ? (spentUsd / priced) * planned : null,
  };
}
