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

/** Mass that one trimming may drop at each end. */
const negligible = 1e-16;

const certainZero: ProbabilityMass = { start: 0, mass: Float64Array.of(1) };

function trimmed({ start, mass }: ProbabilityMass): ProbabilityMass {
  let from = 0;
  let to = mass.length;
  for (let dropped = mass[from] ?? 1; dropped < negligible; dropped += mass[from] ?? 1) from += 1;
  for (let dropped = mass[to - 1] ?? 1; dropped < negligible; dropped += mass[to - 1] ?? 1) to -= 1;
  return from === 0 && to === mass.length ? { start, mass } : { start: start + from, mass: mass.slice(from, to) };
}

/** The distribution of X + Y for independent X and Y (discrete convolution), without its negligible ends. */
export function convolve(x: ProbabilityMass, y: ProbabilityMass): ProbabilityMass {
  const [short, long] = x.mass.length <= y.mass.length ? [x.mass, y.mass] : [y.mass, x.mass];
  const sum = new Float64Array(short.length + long.length - 1);
  for (let i = 0; i < short.length; i += 1) {
    const weight = short[i] ?? 0;
    for (let j = 0; j < long.length; j += 1) {
      sum[i + j] = (sum[i + j] ?? 0) + weight * (long[j] ?? 0);
    }
  }
  return trimmed({ start: x.start + y.start, mass: sum });
}

/** The distribution of the sum of `count` independent copies, by repeated squaring (Knuth, TAOCP 4.6.3); `count` 0 is a certain 0. */
export function convolvePower(x: ProbabilityMass, count: number): ProbabilityMass {
  let result = certainZero;
  let square = trimmed(x);
  for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = convolve(result, square);
    if (rest > 1) square = convolve(square, square);
  }
  return result;
}

/** The distribution of the sum of independent parts (discrete convolution); no parts are a certain 0. */
export function convolveAll(parts: readonly ProbabilityMass[]): ProbabilityMass {
  // Short ones first, sums to the end of the queue: every round merges neighbours of similar length.
  const queue = parts.toSorted((a, b) => a.mass.length - b.mass.length);
  for (let next = 0; next + 1 < queue.length; next += 2) {
    queue.push(convolve(queue[next] ?? certainZero, queue[next + 1] ?? certainZero));
  }
  return queue.at(-1) ?? certainZero;
}

/** `draws` trials are taken from `total` of which `successes` passed. */
export type Urn = { readonly total: number; readonly successes: number; readonly draws: number };

/**
 * Hypergeometric distribution of the passes among the drawn trials, C(t,k)·C(N−t,r−k)/C(N,r).
 * Source: Fisher 1935. One support point when all or none passed.
 */
export function hypergeometric({ total, successes, draws }: Urn): ProbabilityMass {
  const failures = total - successes;
  return massFromRatios({
    low: Math.max(0, draws - failures),
    high: Math.min(draws, successes),
    mode: Math.floor(((draws + 1) * (successes + 1)) / (total + 2)),
    ratio: (k) => ((successes - k) * (draws - k)) / ((k + 1) * (failures - draws + k + 1)),
  });
}

/** Hypergeometric mean r·t/N and variance (Johnson, Kemp & Kotz 2005); an urn with fewer than two trials has no variance. */
export function hypergeometricMoments({ total, successes, draws }: Urn): {
  mean: number;
  variance: number;
} {
  if (total === 0) return { mean: 0, variance: 0 };
  const mean = (draws * successes) / total;
  const variance = total < 2 ? 0 : (mean * (1 - successes / total) * (total - draws)) / (total - 1);
  return { mean, variance };
}
