// Seeded simulation of the gate: how often it cries wolf, and how often it sees a real regression, beside two usual rules.
// Run: npx pnpm benchmark:verdict

import { runGate } from '@proofmark/domain/gate';
import type { CaseCounts } from '@proofmark/domain/statistics/case-counts';
import { eValue } from '@proofmark/domain/statistics/e-value';
import { pairedDifference } from '@proofmark/domain/statistics/paired-difference';
import { type Change, changedRates, dice, passes, suiteOf } from './world.ts';

interface Plan {
  name: string;
  cases: number;
  base: number;
  head: number;
}

const plans: readonly Plan[] = [
  { name: '20 cases × 1', cases: 20, base: 1, head: 1 },
  { name: '50 cases × 3', cases: 50, base: 3, head: 3 },
  { name: '50 cases × 5', cases: 50, base: 5, head: 5 },
  { name: '50 cases × 5, 20 base trials', cases: 50, base: 20, head: 5 },
];
const changes: readonly Change[] = ['nothing', 'pass rate −10 points', '10% of cases broken', 'one stable case broken'];
const alarmDrop = 0.1;
const level = 0.05;
const simulations = Number(process.argv[2] ?? 20_000);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(`Share of ${simulations} simulated pull requests that each rule calls a regression`);
say('(in the rows "nothing" it is wrong, in all others right)\n');
say(row(['plan', 'what changed', 'raw −10 points', 'paired t', 'Proofmark']));
for (const plan of plans) {
  for (const change of changes) {
    const found = simulate(plan, change);
    say(row([plan.name, change, share(found.raw), share(found.pairedT), share(found.gate)]));
  }
}

say('\nStopping early (`stop: sequential`, up to 10 rounds, 50 cases)\n');
say(row(['', 'what changed', 'regressed', 'rounds used', 'of the plan']));
for (const change of changes) {
  const { stopped, rounds } = simulateSequential(change);
  say(row(['', change, share(stopped), rounds.toFixed(1), `${Math.round((rounds / 10) * 100)}%`]));
}

interface Found {
  raw: number;
  pairedT: number;
  gate: number;
}

function simulate(plan: Plan, change: Change): Found {
  const roll = dice(20_260_501 + plan.cases * 7 + plan.base * 131 + plan.head * 17 + changes.indexOf(change));
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

function drawCounts(plan: Plan, change: Change, roll: () => number): CaseCounts[] {
  const rates = suiteOf(plan.cases);
  const head = changedRates(rates, change);
  return rates.map((rate, index) => {
    const basePassed = passes(plan.base, rate, roll);
    return [basePassed, plan.base, passes(plan.head, head[index] ?? 0, roll), plan.head] as const;
  });
}

/** The usual one-sided paired t test over cases; nothing to say without any difference. */
function isSignificant(counts: readonly CaseCounts[]): boolean {
  const test = pairedDifference(counts);
  return test !== undefined && test.diff < 0 && test.pOneSided <= level;
}

function simulateSequential(change: Change): { stopped: number; rounds: number } {
  const roll = dice(77 + changes.indexOf(change));
  const repeats = Math.min(simulations, 1_000);
  let stopped = 0;
  let rounds = 0;
  for (let index = 0; index < repeats; index += 1) {
    const used = stopAfter(change, roll);
    stopped += used.isRegressed ? 1 : 0;
    rounds += used.rounds;
  }
  return { stopped: stopped / repeats, rounds: rounds / repeats };
}

function stopAfter(change: Change, roll: () => number): { isRegressed: boolean; rounds: number } {
  const rates = suiteOf(50);
  const head = changedRates(rates, change);
  let losses = 0;
  let wins = 0;
  for (let round = 1; round <= 10; round += 1) {
    rates.forEach((rate, index) => {
      const basePassed = roll() < rate;
      const headPassed = roll() < (head[index] ?? 0);
      losses += basePassed && !headPassed ? 1 : 0;
      wins += !basePassed && headPassed ? 1 : 0;
    });
    const drop = (losses - wins) / (rates.length * round);
    if (eValue({ losses, wins }) >= 1 / level && drop >= 0.02) return { isRegressed: true, rounds: round };
  }
  return { isRegressed: false, rounds: 10 };
}

function share(value: number): string {
  return value.toFixed(3);
}

function row(cells: readonly string[]): string {
  const widths = [30, 24, 16, 14, 12];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 12))
    .join('')
    .trimEnd();
}
