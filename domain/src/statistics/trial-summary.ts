import { reduceValues } from './reduce-values.ts';

export type TrialSummary = { readonly mean: number; readonly p50: number; readonly p95: number };

/** Arithmetic mean over the values that are not null; a real 0 counts, null does not. Null when none is left. */
export function meanOfKnown(values: readonly (number | null)[]): number | null {
  return reduceValues(
    values.filter((value) => value !== null),
    { kind: 'mean' },
  );
}

/** Linear interpolation between the two nearest ranks (Hyndman & Fan 1996, type 7). */
function quantileOfSorted(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

/** Mean, median and 95th percentile of latencies or costs over trials; null without trials. */
export function summariseTrials(values: readonly number[]): TrialSummary | null {
  const mean = meanOfKnown(values);
  if (mean === null) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { mean, p50: quantileOfSorted(sorted, 0.5), p95: quantileOfSorted(sorted, 0.95) };
}
