import type { CaseCounts } from './case-counts.ts';
import { newcombePaired, newcombeUnpaired } from './newcombe.ts';
import { pairedDifference } from './paired-difference.ts';
import type { Interval } from './wilson.ts';

export type IntervalMethod = 'newcombe-paired' | 'paired-t' | 'clustered-t' | 'newcombe-pooled';

/** Below this the standard error is rounding, not spread. */
const noSpread = 1e-12;

/** Every case ran once on each side: head − base from the table of pairs. */
function fromPairs(cases: readonly CaseCounts[]): Interval {
  const table = { bothPassed: 0, baseOnly: 0, headOnly: 0, bothFailed: 0 };
  for (const [base, , head] of cases) {
    if (base === 1) table[head === 1 ? 'bothPassed' : 'baseOnly'] += 1;
    else table[head === 1 ? 'headOnly' : 'bothFailed'] += 1;
  }
  const { lo, hi } = newcombePaired(table);
  return { lo: 0 - hi, hi: 0 - lo };
}

function fromPooledCounts(cases: readonly CaseCounts[]): Interval {
  const total = (column: 0 | 1 | 2 | 3) => cases.reduce((sum, counts) => sum + counts[column], 0);
  return newcombeUnpaired({ first: [total(2), total(3)], second: [total(0), total(1)] });
}

/**
 * The 95% interval of head − base (Newcombe 1998 or Student 1908) within −1 and 1, and the method that fits the data;
 * needs at least one case with trials on both sides.
 */
export function differenceInterval(
  cases: readonly CaseCounts[],
  clusters?: readonly string[],
): { readonly ciMethod: IntervalMethod; readonly ciLo: number; readonly ciHi: number } {
  const isSingleRun = cases.every(([, base, , head]) => base === 1 && head === 1);
  const named = (ciMethod: IntervalMethod, { lo, hi }: Interval) => ({
    ciMethod,
    // No difference of pass rates is larger, but the t interval of two or three cases does not know that.
    ciLo: Math.max(lo, -1),
    ciHi: Math.min(hi, 1),
  });
  if (isSingleRun) return named('newcombe-paired', fromPairs(cases));
  const measured = pairedDifference(cases, clusters ? { clusters } : {});
  if (measured && measured.se >= noSpread) {
    return named(clusters ? 'clustered-t' : 'paired-t', measured);
  }
  return named('newcombe-pooled', fromPooledCounts(cases));
}
