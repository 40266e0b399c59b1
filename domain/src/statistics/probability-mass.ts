/** A distribution on consecutive whole numbers: `mass[i]` is the probability of `start + i`. */
export type ProbabilityMass = { readonly start: number; readonly mass: Float64Array };

/**
 * The distribution on `low`..`high` whose neighbours have the given ratios, `ratio(k) = P(k + 1) / P(k)`.
 * Recurrence of neighbouring probabilities (Johnson, Kemp & Kotz 2005). Walking outward from the mode keeps every term at most 1, so nothing overflows and nothing cancels.
 */
export function massFromRatios(shape: {
  low: number;
  high: number;
  mode: number;
  ratio: (k: number) => number;
}): ProbabilityMass {
  const { low, high, ratio } = shape;
  const mode = Math.min(high, Math.max(low, shape.mode));
  const mass = new Float64Array(high - low + 1);
  let sum = 1;
  mass[mode - low] = 1;
  for (let k = mode, term = 1; k < high; k += 1) {
    term *= ratio(k);
    mass[k + 1 - low] = term;
    sum += term;
  }
  for (let k = mode, term = 1; k > low; k -= 1) {
    term /= ratio(k - 1);
    mass[k - 1 - low] = term;
    sum += term;
  }
  for (let i = 0; i < mass.length; i += 1) mass[i] = (mass[i] ?? 0) / sum;
  return { start: low, mass };
}

function sumBetween(mass: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = Math.max(0, from); i < Math.min(mass.length, to); i += 1) sum += mass[i] ?? 0;
  return sum;
}

/** Probability mass P(X = k); 0 outside the support. */
export function pointMass({ start, mass }: ProbabilityMass, k: number): number {
  return mass[k - start] ?? 0;
}

/** Distribution function P(X <= k), taken from the lighter tail so that a small answer keeps its digits. */
export function lowerTail({ start, mass }: ProbabilityMass, k: number): number {
  const split = k - start + 1;
  const lower = sumBetween(mass, 0, split);
  return lower <= 0.5 ? lower : 1 - sumBetween(mass, split, mass.length);
}

/** Survival function P(X >= k), taken from the lighter tail so that a small answer keeps its digits. */
export function upperTail({ start, mass }: ProbabilityMass, k: number): number {
  const split = k - start;
  const upper = sumBetween(mass, split, mass.length);
  return upper <= 0.5 ? upper : 1 - sumBetween(mass, 0, split);
}
