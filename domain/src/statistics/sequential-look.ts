import { eValue } from './e-value.ts';
import { spendLooks } from './spend-looks.ts';

/** Both arms of one repetition of one case. */
export type TrialPair = {
  readonly basePassed: boolean;
  readonly headPassed: boolean;
  /** The repetition, from 1. */
  readonly round: number;
};

export type SequentialLook = {
  readonly losses: number;
  readonly wins: number;
  readonly eValue: number;
  /** Head − base as a fraction, every case weighing the same; 0 without pairs. */
  readonly diff: number;
  readonly stops: boolean;
};

export type LookRules = {
  /** Evidence of 1/alpha is needed to stop. */
  readonly alpha?: number;
  /** Chance that any look of the run stops it although nothing has changed. */
  readonly budget?: number;
  readonly minEffect?: number;
};

const slack = 1e-12;

/**
 * What the pairs of `completeRounds` rounds say, one list of pairs per case: group-sequential sign test with the e-value
 * of Grünwald et al. 2024. Look only at complete rounds: single results arrive in an order that depends on how slow,
 * hence how bad, they are.
 */
export function lookAtPairs(
  pairsOfCases: readonly (readonly TrialPair[])[],
  completeRounds: number,
  { alpha = 0.05, budget = 0.01, minEffect = 0.02 }: LookRules = {},
): SequentialLook {
  const seen = pairsOfCases.map((pairs) => pairs.filter(({ round }) => round <= completeRounds));
  const { lossesAt, winsAt } = countByRound(seen.flat(), completeRounds);
  const [losses, wins] = [sum(lossesAt), sum(winsAt)];
  const pairsAtLooks = lossesAt.map((_, look) => sum(lossesAt.slice(0, look + 1)) + sum(winsAt.slice(0, look + 1)));
  const limit = spendLooks(pairsAtLooks, { evidence: 1 / alpha, budget }).at(-1)?.losses ?? null;
  const diff = meanDifference(seen);
  const stops = limit !== null && losses >= limit && diff <= -minEffect + slack;
  return { losses, wins, eValue: eValue({ losses, wins }), diff, stops };
}

function countByRound(pairs: readonly TrialPair[], rounds: number): { lossesAt: number[]; winsAt: number[] } {
  const lossesAt = Array.from({ length: rounds }, () => 0);
  const winsAt = Array.from({ length: rounds }, () => 0);
  for (const { basePassed, headPassed, round } of pairs) {
    if (basePassed === headPassed) continue;
    const counts = basePassed ? lossesAt : winsAt;
    counts[round - 1] = (counts[round - 1] ?? 0) + 1;
  }
  return { lossesAt, winsAt };
}

function meanDifference(pairsOfCases: readonly (readonly TrialPair[])[]): number {
  const differences = pairsOfCases
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => mean(pairs.map((pair) => Number(pair.headPassed) - Number(pair.basePassed))));
  return differences.length === 0 ? 0 : mean(differences);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const mean = (values: readonly number[]): number => sum(values) / values.length;
