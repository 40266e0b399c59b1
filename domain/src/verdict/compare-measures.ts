import type { MeasureComparison, Measures } from '@proofmark/contracts/verdict';
import { meanDifference } from '../statistics/intervals.ts';
import { meanOfKnown, summariseTrials } from '../statistics/repetitions.ts';
import type { Trial, TrialsByCase } from './count-trials.ts';

type Measure = (trial: Trial) => number | null | undefined;

interface Sides {
  base: TrialsByCase;
  head: TrialsByCase;
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
  const [before, after] = [valuesOf(base, measure), valuesOf(head, measure)];
  const differences: number[] = [];
  for (const [caseName, mean] of after.means) {
    const meanBefore = before.means.get(caseName);
    // Every case has the same weight, however often it ran.
    if (meanBefore !== undefined) differences.push(mean - meanBefore);
  }
  return {
    base: summariseTrials(before.all),
    head: summariseTrials(after.all),
    diff: meanDifference(differences),
  };
}

/** What is known of a measure: each value, and the mean of each case that has one. */
function valuesOf(byCase: TrialsByCase, measure: Measure): { all: number[]; means: Map<string, number> } {
  const all: number[] = [];
  const means = new Map<string, number>();
  for (const [caseName, trials] of byCase) {
    const begin = all.length;
    for (const trial of trials) {
      const value = measure(trial);
      if (value !== null && value !== undefined) all.push(value);
    }
    const mean = all.length - begin === 1 ? all[begin] : meanOfKnown(all.slice(begin));
    if (mean !== null && mean !== undefined) means.set(caseName, mean);
  }
  return { all, means };
}
