import { eValue } from './e-value.ts';

/** Both arms of one repetition of one case. */
export type TrialPair = { readonly basePassed: boolean; readonly headPassed: boolean };

export type SequentialLook = {
  readonly losses: number;
  readonly wins: number;
  readonly eValue: number;
  /** Head − base as a fraction, every case weighing the same; 0 without pairs. */
  readonly diff: number;
  readonly stops: boolean;
};

const slack = 1e-12;

/**
 * What the pairs of all complete rounds say, one list of pairs per case.
 * Look only at complete rounds: single results arrive in an order that depends on how slow, hence how bad, they are.
 */
export function lookAtPairs(
  pairsOfCases: readonly (readonly TrialPair[])[],
  { alpha = 0.05, minEffect = 0.02 }: { alpha?: number; minEffect?: number } = {},
): SequentialLook {
  let losses = 0;
  let wins = 0;
  const differences: number[] = [];
  for (const pairs of pairsOfCases) {
    const lost = pairs.filter((pair) => pair.basePassed && !pair.headPassed).length;
    const won = pairs.filter((pair) => !pair.basePassed && pair.headPassed).length;
    losses += lost;
    wins += won;
    if (pairs.length > 0) differences.push((won - lost) / pairs.length);
  }
  const diff = differences.reduce((sum, difference) => sum + difference, 0) / Math.max(1, differences.length);
  const evidence = eValue({ losses, wins });
  const stops = evidence >= 1 / alpha && diff <= -minEffect + slack;
  return { losses, wins, eValue: evidence, diff, stops };
}
