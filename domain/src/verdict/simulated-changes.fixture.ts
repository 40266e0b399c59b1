import { Gate } from '@proofmark/contracts/gate';
import type { CaseCounts } from '../statistics/case-counts.ts';
import { pairedDifference } from '../statistics/intervals.ts';
import { lookAtPairs, type TrialPair } from '../statistics/sequential-look.ts';
import { runGate } from './gate.ts';
import { alphaAtEnd, earlyBudget } from './gate-settings.ts';
import { isRegressionCertain } from './stop-early.ts';

/** A seeded generator of numbers in [0, 1): the same numbers on every machine (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How likely a case passes, for a suite as teams have them: mostly safe cases, some shaky ones, a few that hardly ever pass. */
const mix = [
  { share: 0.6, rate: 0.99 },
  { share: 0.25, rate: 0.85 },
  { share: 0.1, rate: 0.5 },
  { share: 0.05, rate: 0.02 },
];

/** A suite of this mix: exact shares, so that luck is in the trials and not in the choice of cases. */
export function suiteOf(cases: number): number[] {
  return Array.from({ length: cases }, (_, index) => {
    let left = (index + 0.5) / cases;
    for (const { share, rate } of mix) {
      left -= share;
      if (left < 0) return rate;
    }
    return 0.99;
  });
}

/** What the pull request did to the agent. */
export type Change = 'nothing' | 'pass rate −10 points' | '10% of cases broken' | 'one stable case broken';

export function changedRates(rates: readonly number[], change: Change): number[] {
  switch (change) {
    case 'nothing':
      return [...rates];
    case 'pass rate −10 points':
      return fallEverywhere(rates, 0.1);
    case '10% of cases broken':
      return breakStable(rates, Math.round(rates.length * 0.1));
    case 'one stable case broken':
      return breakStable(rates, 1);
  }
}

/** Every case falls by the same amount, those that cannot fall so far to nothing, so that the mean falls by `drop`. */
export function fallEverywhere(rates: readonly number[], drop: number): number[] {
  const wanted = drop * rates.length;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    const lost = rates.reduce((sum, rate) => sum + Math.min(rate, middle), 0);
    if (lost < wanted) low = middle;
    else high = middle;
  }
  return rates.map((rate) => Math.max(0, rate - high));
}

/** The most stable cases break outright: those are the ones whose loss is nobody's noise. */
function breakStable(rates: readonly number[], count: number): number[] {
  const stable = rates.map((rate, index) => ({ rate, index })).toSorted((a, b) => b.rate - a.rate);
  const broken = new Set(stable.slice(0, count).map(({ index }) => index));
  return rates.map((rate, index) => (broken.has(index) ? 0 : rate));
}

export function passes(trials: number, rate: number, roll: () => number): number {
  let passed = 0;
  for (let trial = 0; trial < trials; trial += 1) passed += roll() < rate ? 1 : 0;
  return passed;
}

export interface Plan {
  name: string;
  cases: number;
  base: number;
  head: number;
}

const alarmDrop = 0.1;
const level = 0.05;

/** Shares of simulated pull requests that each rule calls a regression. */
export interface Found {
  raw: number;
  pairedT: number;
  gate: number;
}

/** Seeded: the same plan, change and number give the same shares on every machine. */
export function simulateGate(plan: Plan, change: Change, simulations: number): Found {
  const rates = suiteOf(plan.cases);
  return simulateChange(plan, { base: rates, head: changedRates(rates, change), seed: change.length }, simulations);
}

/** How likely each case passes on both sides. */
export interface SimulatedChange {
  base: readonly number[];
  head: readonly number[];
  seed: number;
}

/** The same for any change of pass rates. */
export function simulateChange(plan: Plan, change: SimulatedChange, simulations: number): Found {
  const roll = dice(20_260_501 + plan.cases * 7 + plan.base * 131 + plan.head * 17 + change.seed);
  const found: Found = { raw: 0, pairedT: 0, gate: 0 };
  for (let index = 0; index < simulations; index += 1) {
    const counts = drawCounts(plan, change, roll);
    const verdict = runGate({ cases: counts });
    found.gate += verdict.verdict === 'regressed' ? 1 : 0;
    found.raw += verdict.diff <= -alarmDrop + 1e-9 ? 1 : 0;
    found.pairedT += isSignificant(counts) ? 1 : 0;
  }
  return { raw: found.raw / simulations, pairedT: found.pairedT / simulations, gate: found.gate / simulations };
}

function drawCounts(plan: Plan, { base, head }: SimulatedChange, roll: () => number): CaseCounts[] {
  return base.map((rate, index) => {
    const basePassed = passes(plan.base, rate, roll);
    return [basePassed, plan.base, passes(plan.head, head[index] ?? 0, roll), plan.head] as const;
  });
}

/** The usual one-sided paired t test over cases; nothing to say without any difference. */
function isSignificant(counts: readonly CaseCounts[]): boolean {
  const test = pairedDifference(counts);
  return test !== undefined && test.diff < 0 && test.pOneSided <= level;
}

export interface Stopping {
  /** Share called a regression when every round is run. */
  fixed: number;
  /** The same when the run ends as soon as pairs say so or nothing can change any more. */
  sequential: number;
  /** Mean trials, as a share of the plan. */
  used: number;
}

/** Every round has one trial of each case on both sides. */
export interface RoundPlan {
  cases: number;
  rounds: number;
}

const gate = Gate.parse({ stop: 'sequential' });
const settings = { gate, alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' } as const;

/** Both ways to run the same pull requests: the same dice and the same gate, one of them looking after each round. */
export function simulateStopping(change: Change, plan: RoundPlan, simulations: number): Stopping {
  const { rounds } = plan;
  const roll = dice(4_711 + change.length * 31 + plan.cases * 7 + rounds);
  const alpha = alphaAtEnd({ settings, isConcurrent: true, head: [{ repetition: rounds }] });
  const sum = { fixed: 0, sequential: 0, used: 0 };
  for (let index = 0; index < simulations; index += 1) {
    const drawn = drawPairs(change, plan, roll);
    const stoppedAfter = stopAfter(drawn, rounds, alpha);
    const isRegressed = (level: number) => runGate({ cases: countsAfter(drawn, rounds), parameters: { alpha: level } });
    sum.fixed += isRegressed(gate.alpha).verdict === 'regressed' ? 1 : 0;
    sum.sequential += stoppedAfter !== null || isRegressed(alpha).verdict === 'regressed' ? 1 : 0;
    sum.used += (stoppedAfter ?? rounds) / rounds;
  }
  const share = (total: number) => total / simulations;
  return { fixed: share(sum.fixed), sequential: share(sum.sequential), used: share(sum.used) };
}

/** Of every case both sides of every round. */
function drawPairs(change: Change, { cases, rounds }: RoundPlan, roll: () => number): TrialPair[][] {
  const rates = suiteOf(cases);
  const head = changedRates(rates, change);
  return rates.map((rate, index) =>
    Array.from({ length: rounds }, (_, round) => ({
      basePassed: roll() < rate,
      headPassed: roll() < (head[index] ?? 0),
      round: round + 1,
    })),
  );
}

const countsAfter = (drawn: readonly (readonly TrialPair[])[], rounds: number) =>
  drawn.map((pairs) => {
    const seen = pairs.slice(0, rounds);
    const base = seen.filter(({ basePassed }) => basePassed).length;
    return [base, rounds, seen.filter(({ headPassed }) => headPassed).length, rounds] as const;
  });

/** The round after which the run ends early as a regression; null when it never does. */
function stopAfter(drawn: readonly (readonly TrialPair[])[], rounds: number, alpha: number): number | null {
  const left = rounds - 1;
  for (let round = 1; round <= left; round += 1) {
    if (lookAtPairs(drawn, round, { alpha: gate.alpha, budget: earlyBudget(settings) }).stops) return round;
    const open = { outstandingBase: rounds - round, outstandingHead: rounds - round };
    const cases = countsAfter(drawn, round).map((counts) => ({ counts, ...open }));
    if (isRegressionCertain({ cases, parameters: { alpha } })) return round;
  }
  return null;
}
