import type { CaseWork } from '@proofmark/contracts/case-work';
import { trialSeed } from '@proofmark/contracts/content-hash';

/** Fewer fresh trials of a case than this prove nothing. */
const leastRepetitions = 3;

/** What a side of a cell was asked. */
export interface AskedSide<Case extends { caseName: string }> {
  /** Once each, without those that were decided before anybody was asked. */
  cases: readonly Case[];
  /** The highest repetition of a case. */
  repetitions: number;
}

/** What a side is asked once more: each of these cases, with repetitions that it has not had, so that no seed comes twice. */
export interface FreshTrials<Case> {
  cases: readonly Case[];
  repetitions: readonly number[];
}

/**
 * What settles a suspicion: all cases once more on both sides, as often as the head was asked at first
 * (docs/repetitions.md#when-it-is-suspicious-run-everything-again). Repeating only what failed would manufacture
 * regressions. A case that only one side has, such as a new one, is no comparison: it can confirm nothing and is not paid
 * for. `last` is the highest repetition in the cell so far, whatever it ran for. Null when the sides share no case.
 */
export function planConfirmation<Case extends { caseName: string }>({
  head,
  base,
  last,
}: {
  head: AskedSide<Case>;
  base: AskedSide<Case>;
  last: number;
}): { head: FreshTrials<Case>; base: FreshTrials<Case> } | null {
  const repetitions = numbers(last + 1, last + Math.max(leastRepetitions, head.repetitions));
  const cases = sharedCases(head, base);
  return cases.length === 0
    ? null
    : { head: { cases, repetitions }, base: { cases: sharedCases(base, head), repetitions } };
}

const sharedCases = <Case extends { caseName: string }>(of: AskedSide<Case>, other: AskedSide<Case>): Case[] => {
  const names = new Set(other.cases.map(({ caseName }) => caseName));
  return of.cases.filter(({ caseName }) => names.has(caseName));
};

/** A base that drifted from its history is asked as often as the head. Null when it was already. */
export function planDrift<Case extends { caseName: string }>({
  head,
  base,
}: {
  head: Pick<AskedSide<Case>, 'repetitions'>;
  base: AskedSide<Case>;
}): FreshTrials<Case> | null {
  const repetitions = numbers(base.repetitions + 1, head.repetitions);
  return repetitions.length * base.cases.length === 0 ? null : { cases: base.cases, repetitions };
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** The work of a case as another repetition of it. */
export const freshWork = (
  work: CaseWork,
  { runSeed, caseKey, repetition }: { runSeed: string; caseKey: string; repetition: number },
): CaseWork => ({ ...work, repetition, seed: trialSeed(runSeed, caseKey, repetition) });
