// Seeded simulation of the gate: how often it cries wolf, and how often it sees a real regression, beside two usual rules.
// Run: npx pnpm benchmark:verdict
import { eValue } from '@proofmark/domain/statistics/e-value';
import { type Plan, simulateGate } from './simulate-gate.ts';
import { type Change, changedRates, dice, suiteOf } from './world.ts';

const plans: readonly Plan[] = [
  { name: '20 cases × 1', cases: 20, base: 1, head: 1 },
  { name: '50 cases × 3', cases: 50, base: 3, head: 3 },
  { name: '50 cases × 5', cases: 50, base: 5, head: 5 },
  { name: '50 cases × 5, 20 base trials', cases: 50, base: 20, head: 5 },
];
const changes: readonly Change[] = ['nothing', 'pass rate −10 points', '10% of cases broken', 'one stable case broken'];
const level = 0.05;
const simulations = Number(process.argv[2] ?? 20_000);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(`Share of ${simulations} simulated pull requests that each rule calls a regression`);
say('(in the rows "nothing" it is wrong, in all others right)\n');
say(row(['plan', 'what changed', 'raw −10 points', 'paired t', 'Proofmark']));
for (const plan of plans) {
  for (const change of changes) {
    const found = simulateGate(plan, change, simulations);
    say(row([plan.name, change, share(found.raw), share(found.pairedT), share(found.gate)]));
  }
}

say('\nStopping early (`stop: sequential`, up to 10 rounds, 50 cases)\n');
say(row(['', 'what changed', 'regressed', 'rounds used', 'of the plan']));
for (const change of changes) {
  const { stopped, rounds } = simulateSequential(change);
  say(row(['', change, share(stopped), rounds.toFixed(1), `${Math.round((rounds / 10) * 100)}%`]));
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
