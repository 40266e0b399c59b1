import { normalQuantile } from './quantiles.ts';

export type Interval = { readonly lo: number; readonly hi: number };

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
