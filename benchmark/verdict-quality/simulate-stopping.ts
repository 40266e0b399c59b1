import { Gate } from '@proofmark/contracts/gate';
import { isRegressionCertain } from '@proofmark/domain/curtail';
import { runGate } from '@proofmark/domain/gate';
import { alphaAtEnd, earlyBudget } from '@proofmark/domain/gate-settings';
import { lookAtPairs, type TrialPair } from '@proofmark/domain/statistics/sequential-look';
import { type Change, changedRates, dice, suiteOf } from './world.ts';

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
