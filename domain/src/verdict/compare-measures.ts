import type { MeasureComparison, Measures } from '@proofmark/contracts/verdict';
import { meanDifference } from '../statistics/intervals.ts';
import { meanOfKnown, summariseTrials } from '../statistics/repetitions.ts';
import { groupByCase, type Trial } from './count-trials.ts';

type Measure = (trial: Trial) => number | null | undefined;

interface Sides {
  base: readonly Trial[];
  head: readonly Trial[];
}

/** Time, tokens and money on both sides, over executed trials whose value is known. */
export function compareMeasures(sides: Sides): Measures {
  return {
    latencyMs: compareMeasure(sides, ({ latencyMs }) => latencyMs),
    tokens: compareMeasure(sides, ({ tokens }) => tokens),
    costUsd: compareMeasure(sides, ({ costUsd }) => costUsd),
  };
}

function compareMeasure({ base, head }: Sides, measure: Measure): MeasureComparison {
  const baseMeans = meansByCase(base, measure);
  const differences = [...meansByCase(head, measure)].flatMap(([caseName, mean]) => {
    const before = baseMeans.get(caseName);
    return before === undefined ? [] : [mean - before];
  });
  return {
    base: summariseTrials(known(base, measure)),
    head: summariseTrials(known(head, measure)),
    diff: meanDifference(differences),
  };
}

/** Every case has the same weight, however often it ran. */
function meansByCase(trials: readonly Trial[], measure: Measure): Map<string, number> {
  const means = [...groupByCase(trials)].flatMap(([caseName, ofCase]): [string, number][] => {
    const mean = meanOfKnown(ofCase.map((trial) => measure(trial) ?? null));
    return mean === null ? [] : [[caseName, mean]];
  });
  return new Map(means);
}

function known(trials: readonly Trial[], measure: Measure): number[] {
  return trials.flatMap((trial) => measure(trial) ?? []);
}
