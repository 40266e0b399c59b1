// Seeded simulation of the gate: how often it cries wolf, and how often it sees a real regression, beside two usual rules,
// and what stopping early saves. Fails when a figure is worse than promised.
// Run: npm run benchmark:verdict

import type { Change } from '@proofmark/domain/simulated-changes';
import { type Plan, type RoundPlan, simulateGate, simulateStopping } from '@proofmark/domain/simulated-changes';
import { slowestRatio, verdictLimits } from './limits.ts';
import { timeVerdict } from './time-verdict.ts';

const plans: readonly Plan[] = [
  { name: '20 cases × 1', cases: 20, base: 1, head: 1 },
  { name: '50 cases × 3', cases: 50, base: 3, head: 3 },
  { name: '50 cases × 5', cases: 50, base: 5, head: 5 },
  { name: '50 cases × 5, 20 base trials', cases: 50, base: 20, head: 5 },
];
const roundPlans: readonly RoundPlan[] = [
  { cases: 20, rounds: 10 },
  { cases: 50, rounds: 5 },
  { cases: 50, rounds: 10 },
];
const changes: readonly Change[] = ['nothing', 'pass rate −10 points', '10% of cases broken', 'one stable case broken'];
const simulations = Number(process.argv[2] ?? 30_000);
const missed: string[] = [];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(`Share of ${simulations} simulated pull requests that each rule calls a regression`);
say('(in the rows "nothing" it is wrong, in all others right)\n');
say(row(['plan', 'what changed', 'raw −10 points', 'paired t', 'Proofmark']));
for (const plan of plans) {
  for (const change of changes) {
    const found = simulateGate(plan, change, simulations);
    judge(plan.name, change, found.gate);
    say(row([plan.name, change, share(found.raw), share(found.pairedT), share(found.gate)]));
  }
}

const pullRequests = Math.min(simulations, 5_000);
say(`\nStopping early: the same ${pullRequests} pull requests with every round run, and with \`stop: sequential\``);
say('(base beside the head; "used" is the mean share of the planned trials)\n');
say(row(['plan', 'what changed', 'all rounds', 'stopping', 'used']));
for (const plan of roundPlans) {
  const name = `${plan.cases} cases × ${plan.rounds} rounds`;
  for (const change of changes) {
    const { fixed, sequential, used } = simulateStopping(change, plan, pullRequests);
    if (change === 'nothing') judge(`${name}, stopping early`, change, sequential);
    say(row([name, change, share(fixed), share(sequential), `${Math.round(used * 100)}%`]));
  }
}

say(
  '\nThe whole verdict on 10,000 cases (20 base and 5 head trials each), beside a plain loop of a billion additions\n',
);
const { verdictMs, loopMs } = timeVerdict();
say(`${Math.round(verdictMs)} ms against ${Math.round(loopMs)} ms: ratio ${(verdictMs / loopMs).toFixed(2)}`);
if (verdictMs / loopMs > slowestRatio) missed.push(`the verdict on 10,000 cases takes more than ${slowestRatio} loops`);

for (const miss of missed) say(`\nNOT HELD: ${miss}`);
if (missed.length > 0) process.exitCode = 1;

/** Notes what is worse than promised. */
function judge(plan: string, change: Change, found: number): void {
  const { most, least } = verdictLimits(plan, change);
  if (found > most) missed.push(`${plan}, ${change}: ${found.toFixed(4)} is above ${most}`);
  if (found < least) missed.push(`${plan}, ${change}: ${found.toFixed(4)} is below ${least}`);
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
