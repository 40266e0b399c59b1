import type { CaseCounts } from './case-counts.ts';
import { normalQuantile, studentCdf, studentQuantile } from './continuous-distributions.ts';

type Interval = { readonly lo: number; readonly hi: number };

/** The two-sided standard normal limit Φ⁻¹(1 − (1 − c)/2), 1.96 for 0.95. */
export const twoSidedZ = (confidence: number) => normalQuantile(1 - (1 - confidence) / 2);

/** Wilson score interval of `passed` of `scored` (Wilson 1927); [0, 1] when nothing was scored. */
export function wilson({
  passed,
  scored,
  confidence = 0.95,
}: {
  passed: number;
  scored: number;
  confidence?: number;
}): Interval {
  if (scored === 0) return { lo: 0, hi: 1 };
  const z = twoSidedZ(confidence);
  const rate = passed / scored;
  const scale = 1 + (z * z) / scored;
  const centre = (rate + (z * z) / (2 * scored)) / scale;
  const spread = (rate * (1 - rate)) / scored + (z * z) / (4 * scored * scored);
  const half = (z * Math.sqrt(spread)) / scale;
  // The exact ends keep rounding from claiming that a rate of 0 or 1 is impossible.
  return {
    lo: passed === 0 ? 0 : centre - half,
    hi: passed === scored ? 1 : centre + half,
  };
}

type DifferenceInterval = Interval & { readonly diff: number };

/** Outcomes of cases that ran once on each side. */
type PairedTable = {
  readonly bothPassed: number;
  readonly baseOnly: number;
  readonly headOnly: number;
  readonly bothFailed: number;
};

type Margin = { readonly rate: number; readonly below: number; readonly above: number };

const root = (value: number) => Math.sqrt(Math.max(0, value));

function marginOf(passed: number, scored: number, confidence: number): Margin {
  const rate = scored === 0 ? 0 : passed / scored;
  const { lo, hi } = wilson({ passed, scored, confidence });
  return { rate, below: rate - lo, above: hi - rate };
}

function combine(first: Margin, second: Margin, phi: number): DifferenceInterval {
  const diff = first.rate - second.rate;
  const reach = (x: number, y: number) => root(x * x - 2 * phi * x * y + y * y);
  return {
    diff,
    lo: diff - reach(first.below, second.above),
    hi: diff + reach(first.above, second.below),
  };
}

/** Interval of first rate − second rate, independent samples (Newcombe 1998, Stat Med 17:873, method 10). */
export function newcombeUnpaired({
  first,
  second,
  confidence = 0.95,
}: {
  first: readonly [passed: number, scored: number];
  second: readonly [passed: number, scored: number];
  confidence?: number;
}): DifferenceInterval {
  return combine(marginOf(...first, confidence), marginOf(...second, confidence), 0);
}

/** The correlation of the paired outcomes with continuity correction; 0 when a margin is empty. */
function correlation({ bothPassed, baseOnly, headOnly, bothFailed }: PairedTable): number {
  const margins = (bothPassed + baseOnly) * (headOnly + bothFailed) * (bothPassed + headOnly) * (baseOnly + bothFailed);
  if (margins === 0) return 0;
  const half = (bothPassed + baseOnly + headOnly + bothFailed) / 2;
  const product = bothPassed * bothFailed - baseOnly * headOnly;
  const corrected = product > half ? product - half : Math.min(product, 0);
  return corrected / Math.sqrt(margins);
}

/** Interval of base rate − head rate, paired samples (Newcombe 1998, Stat Med 17:2635, method 10). */
export function newcombePaired(table: PairedTable, confidence = 0.95): DifferenceInterval & { readonly phi: number } {
  const { bothPassed, baseOnly, headOnly, bothFailed } = table;
  const cases = bothPassed + baseOnly + headOnly + bothFailed;
  const phi = correlation(table);
  const base = marginOf(bothPassed + baseOnly, cases, confidence);
  const head = marginOf(bothPassed + headOnly, cases, confidence);
  return { ...combine(base, head, phi), phi };
}

type PairedDifference = {
  readonly diff: number;
  readonly se: number;
  readonly df: number;
  readonly lo: number;
  readonly hi: number;
  readonly pOneSided: number;
  /** The part of `se` that repetitions could remove; null when a case has a single trial on an arm. */
  readonly withinCaseSe: number | null;
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Head rate − base rate of every case, as fractions (paired differences). */
export function caseDifferences(cases: readonly CaseCounts[]): number[] {
  return cases.map(
    ([basePassed, baseScored, headPassed, headScored]) => headPassed / headScored - basePassed / baseScored,
  );
}

function clusterSums(deviations: readonly number[], clusters: readonly string[]): number[] {
  const sums = new Map<string, number>();
  for (const [i, deviation] of deviations.entries()) {
    const cluster = clusters[i] ?? '';
    sums.set(cluster, (sums.get(cluster) ?? 0) + deviation);
  }
  return [...sums.values()];
}

function withinCaseSe(cases: readonly CaseCounts[]): number | null {
  let variance = 0;
  for (const [basePassed, baseScored, headPassed, headScored] of cases) {
    if (baseScored < 2 || headScored < 2) return null;
    const base = basePassed / baseScored;
    const head = headPassed / headScored;
    variance += (base * (1 - base)) / (baseScored - 1) + (head * (1 - head)) / (headScored - 1);
  }
  return Math.sqrt(variance) / cases.length;
}

/**
 * Mean head − base difference with its t interval, clustered when clusters are given (Miller 2024, arXiv 2411.00640).
 * Undefined when there are fewer than two cases or clusters, which leave no spread to measure.
 */
export function pairedDifference(
  cases: readonly CaseCounts[],
  { clusters, confidence = 0.95 }: { clusters?: readonly string[]; confidence?: number } = {},
): PairedDifference | undefined {
  const differences = caseDifferences(cases);
  const diff = mean(differences);
  const deviations = differences.map((difference) => difference - diff);
  const groups = clusters ? clusterSums(deviations, clusters) : deviations;
  if (cases.length < 2 || groups.length < 2) return undefined;
  const df = groups.length - 1;
  const squares = groups.reduce((sum, deviation) => sum + deviation * deviation, 0);
  const se = Math.sqrt((groups.length / df) * squares) / cases.length;
  const reach = studentQuantile(1 - (1 - confidence) / 2, df) * se;
  return {
    diff,
    se,
    df,
    lo: diff - reach,
    hi: diff + reach,
    pOneSided: se === 0 ? (1 + Math.sign(diff)) / 2 : studentCdf(diff / se, df),
    withinCaseSe: withinCaseSe(cases),
  };
}

export type MeanDifference = { readonly mean: number; readonly lo: number; readonly hi: number };

/**
 * Mean of paired differences with its t interval (Student 1908); null below two of them, which leave no spread to
 * measure. Differences that are all equal have an interval without width.
 */
export function meanDifference(differences: readonly number[], confidence = 0.95): MeanDifference | null {
  const count = differences.length;
  if (count < 2) return null;
  const mean = differences.reduce((sum, value) => sum + value, 0) / count;
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const reach = studentQuantile(1 - (1 - confidence) / 2, count - 1) * Math.sqrt(squares / (count * (count - 1)));
  return { mean, lo: mean - reach, hi: mean + reach };
}

/** The share of the differences that is left out at each end. */
const trimmed = 0.2;

/**
 * The 20% trimmed mean of paired differences with its interval (Tukey and McLaughlin 1963; Wilcox 2012, 4.3): a fifth of
 * them at each end may be anything. Times have such ends, since whatever halts a machine for a moment halts one side of one
 * pair. Below five differences nothing can be left out, and it is `meanDifference`.
 */
export function trimmedDifference(differences: readonly number[], confidence = 0.95): MeanDifference | null {
  const count = differences.length;
  const left = Math.floor(trimmed * count);
  if (left === 0) return meanDifference(differences, confidence);
  const sorted = differences.toSorted((a, b) => a - b);
  const kept = sorted.slice(left, count - left);
  const [least = 0, most = 0] = [kept[0], kept.at(-1)];
  const pulledIn = sorted.map((value) => Math.min(most, Math.max(least, value)));
  const centre = mean(pulledIn);
  const squares = pulledIn.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const se = Math.sqrt(squares / (count - 1)) / ((1 - 2 * trimmed) * Math.sqrt(count));
  const reach = studentQuantile(1 - (1 - confidence) / 2, kept.length - 1) * se;
  const middle = mean(kept);
  return { mean: middle, lo: middle - reach, hi: middle + reach };
}

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
