import type { ProbabilityMass } from './probability-mass.ts';

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
