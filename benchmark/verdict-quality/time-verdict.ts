import { Gate } from '@proofmark/contracts/gate';
import { decideVerdict, type Trial } from '@proofmark/domain/decide-verdict';
import { dice, suiteOf } from '@proofmark/domain/simulated-changes';

const settings = {
  gate: Gate.parse({}),
  alertOnRegression: true,
  alertThresholdPercent: 10,
  onError: 'block',
} as const;

const suite = { cases: 10_000, base: 20, head: 5 };

/** The best of five: how long the verdict takes from trials to sentences, and a yardstick of the machine. */
export function timeVerdict(): { verdictMs: number; loopMs: number } {
  const roll = dice(7);
  const rates = suiteOf(suite.cases);
  const draw = (count: number): Trial[] => rates.flatMap((rate, index) => trials(`case-${index}`, count, rate, roll));
  const input = { base: draw(suite.base), head: draw(suite.head), settings };
  const best = (run: () => void): number => Math.min(...Array.from({ length: 5 }, () => timed(run)));
  return { verdictMs: best(() => decideVerdict(input)), loopMs: best(addUp) };
}

function trials(caseName: string, count: number, rate: number, roll: () => number): Trial[] {
  return Array.from({ length: count }, (_, index) => ({
    caseName,
    comparabilityKey: caseName,
    status: roll() < rate ? 'passed' : 'failed',
    errorKind: null,
    repetition: index + 1,
  }));
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function addUp(): void {
  let sum = 0;
  for (let index = 0; index < 1e9; index += 1) sum += index & 1;
  if (sum !== 5e8) throw new Error('A loop that adds up has been optimised away');
}
