import type { MeasureComparison, Measures } from '@proofmark/contracts/verdict';
import { meanDifference } from '../statistics/intervals.ts';
import { meanOfKnown, summariseTrials } from '../statistics/repetitions.ts';
import { groupByCase, type Trial } from './count-trials.ts';

type Measure = (trial: Trial) => number | null | undefined;

/** The trials of one side, and by their case. */
interface Side {
  trials: readonly Trial[];
  cases: ReadonlyMap<string, readonly Trial[]>;
}

interface Sides<Of> {
  base: Of;
  head: Of;
}

/** Time, tokens and money on both sides, over executed trials whose value is known. */
export function compareMeasures({ base, head }: Sides<readonly Trial[]>): Measures {
  const sides = { base: sideOf(base), head: sideOf(head) };
  return {
    latencyMs: compareMeasure(sides, ({ latencyMs }) => latencyMs),
    tokens: compareMeasure(sides, ({ tokens }) => tokens),
    costUsd: compareMeasure(sides, ({ costUsd }) => costUsd),
  };
}

const sideOf = (trials: readonly Trial[]): Side => ({ trials, cases: groupByCase(trials) });

function compareMeasure({ base, head }: Sides<Side>, measure: Measure): MeasureComparison {
  const differences: number[] = [];
  for (const [caseName, ofHead] of head.cases) {
    const ofBase = base.cases.get(caseName);
    const [after, before] = [meanOf(ofHead, measure), ofBase === undefined ? null : meanOf(ofBase, measure)];
    // Every case has the same weight, however often it ran.
    if (after !== null && before !== null) differences.push(after - before);
  }
  return {
    base: summariseTrials(known(base.trials, measure)),
    head: summariseTrials(known(head.trials, measure)),
    diff: meanDifference(differences),
  };
}

const meanOf = (trials: readonly Trial[], measure: Measure): number | null => meanOfKnown(known(trials, measure));

function known(trials: readonly Trial[], measure: Measure): number[] {
  const values: number[] = [];
  for (const trial of trials) {
    const value = measure(trial);
    if (value !== null && value !== undefined) values.push(value);
  }
  return values;
}
