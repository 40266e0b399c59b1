import { convolve } from './convolution.ts';
import { eValue } from './e-value.ts';
import { massFromRatios, type ProbabilityMass } from './probability-mass.ts';

export type LookLimits = {
  /** The fewest losses with which this look stops; null when no number of them would. */
  readonly losses: number | null;
  /** Chance of having stopped at this look or before, if nothing has changed. Never above the budget. */
  readonly spent: number;
};

/** The passes of `count` fair coins, Binomial(count, ½). */
const fairCoins = (count: number): ProbabilityMass =>
  massFromRatios({ low: 0, high: count, mode: Math.floor(count / 2), ratio: (k) => (count - k) / (k + 1) });

/** The fewest losses of `pairs` whose e-value reaches `evidence`; more than `pairs` when none do. */
function lossesFor(pairs: number, evidence: number): number {
  let low = Math.ceil(pairs / 2);
  let high = pairs + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (eValue({ losses: middle, wins: pairs - middle }) >= evidence) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Which losses stop each look, so that evidence is enough and all looks together raise a false alarm with at most
 * `budget`: exact group-sequential sign test (Armitage, McPherson & Rowe 1969; spending after Lan & DeMets 1983).
 * Without a change a discordant pair is a loss or a win like a fair coin, however many of them a round brings.
 */
export function spendLooks(
  pairsAtLooks: readonly number[],
  { evidence, budget }: { evidence: number; budget: number },
): LookLimits[] {
  // Losses so far of runs that have not stopped; what stops leaves it.
  let going: ProbabilityMass = { start: 0, mass: Float64Array.of(1) };
  let seen = 0;
  let spent = 0;
  return pairsAtLooks.map((pairs) => {
    going = convolve(going, fairCoins(pairs - seen));
    seen = pairs;
    const limit = limitWithin(going, lossesFor(pairs, evidence), budget - spent);
    spent += limit.chance;
    going = below(going, limit.losses);
    return { losses: limit.losses > pairs ? null : limit.losses, spent };
  });
}

/** The lowest limit, not below `least`, that stops with a chance of at most `left`. */
function limitWithin(
  { start, mass }: ProbabilityMass,
  least: number,
  left: number,
): { losses: number; chance: number } {
  let chance = 0;
  let losses = Math.max(least, start + mass.length);
  while (losses > least && losses > start) {
    const next = chance + (mass[losses - 1 - start] ?? 0);
    if (next > left) break;
    chance = next;
    losses -= 1;
  }
  return { losses, chance };
}

const below = ({ start, mass }: ProbabilityMass, limit: number): ProbabilityMass => ({
  start,
  mass: mass.slice(0, Math.max(0, limit - start)),
});
