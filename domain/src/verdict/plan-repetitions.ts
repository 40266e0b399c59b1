import type { PassCount, Planning } from '@proofmark/contracts/verdict';
import {
  meanWithinVariance,
  repetitionsAgainstHistory,
  repetitionsPerArm,
  smallestDetectableDrop,
} from '../statistics/power.ts';

/** Scored trials of one case on both sides; the base is null where there is none. */
export interface PlannedCase {
  base: PassCount | null;
  head: PassCount;
}

/**
 * What the trials of a comparison can show, and how many repetitions a drop of `dropPoints` needs
 * (docs/repetitions.md#how-many-repetitions). A base with more trials than the head is history that stays as it is; else
 * both sides are repeated. Null when nothing was scored.
 */
export function planRepetitions(cases: readonly PlannedCase[], dropPoints: number): Planning | null {
  const bases = cases.flatMap(({ base }) => base ?? []);
  // Without a base the head is the best guess of how noisy the cases are.
  const noisy = bases.length > 0 ? bases : cases.map(({ head }) => head);
  const withinVariance = meanWithinVariance(noisy);
  const repetitions = typical(cases.map(({ head }) => head.scored));
  if (withinVariance === null || repetitions === null) return null;
  const baseTrials = typical(bases.map(({ scored }) => scored));
  const noise = { cases: cases.length, withinVariance };
  const drop = dropPoints / 100;
  const isHistory = baseTrials !== null && baseTrials > repetitions;
  const needed = isHistory
    ? repetitionsAgainstHistory({ ...noise, drop, baseTrials })
    : repetitionsPerArm({ ...noise, drop });
  return {
    cases: cases.length,
    repetitions,
    baseTrials,
    detectablePoints: smallestDetectableDrop({ ...noise, repetitions, baseTrials: baseTrials ?? repetitions }) * 100,
    dropPoints,
    neededRepetitions: needed?.repetitions ?? null,
  };
}

/** The median, of two the smaller; null without values and when it is 0. */
function typical(counts: readonly number[]): number | null {
  const sorted = counts.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] || null;
}
