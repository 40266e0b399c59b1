import type { CaseCounts } from './case-counts.ts';
import { studentCdf, studentQuantile } from './quantiles.ts';

export type PairedDifference = {
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
