import { gateDefaults } from '@proofmark/contracts/gate';

import { logBeta, logIncompleteBeta } from './continuous-distributions.ts';
import type { Discordant } from './exact-tests.ts';
import { convolve, massFromRatios, type ProbabilityMass } from './probability-mass.ts';

/**
 * Evidence against "head is no worse" from discordant pairs: the likelihood ratio of a uniform loss share above ½
 * against exactly ½, valid at every look (Ville 1939; Grünwald et al. 2024). 1 when nothing differs.
 */
export function eValue({ losses, wins }: Discordant): number {
  return Math.exp(
    (losses + wins + 1) * Math.LN2 +
      logBeta(losses + 1, wins + 1) +
      logIncompleteBeta({ a: wins + 1, b: losses + 1, x: 0.5 }),
  );
}

type LookLimits = {
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

/** Both arms of one repetition of one case. */
export type TrialPair = {
  readonly basePassed: boolean;
  readonly headPassed: boolean;
  /** The repetition, from 1. */
  readonly round: number;
};

type SequentialLook = {
  readonly losses: number;
  readonly wins: number;
  readonly eValue: number;
  /** Head − base as a fraction, every case weighing the same; 0 without pairs. */
  readonly diff: number;
  readonly stops: boolean;
};

type LookRules = {
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
  { alpha = gateDefaults.alpha, budget = 0.01, minEffect = gateDefaults.min_effect_percent / 100 }: LookRules = {},
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
