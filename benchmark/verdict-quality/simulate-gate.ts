import { runGate } from '@proofmark/domain/gate';
import type { CaseCounts } from '@proofmark/domain/statistics/case-counts';
import { pairedDifference } from '@proofmark/domain/statistics/intervals';
import { type Change, changedRates, dice, passes, suiteOf } from './world.ts';

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
