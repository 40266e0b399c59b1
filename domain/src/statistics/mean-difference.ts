import { studentQuantile } from './quantiles.ts';

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
