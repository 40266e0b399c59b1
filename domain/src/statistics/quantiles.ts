import { incompleteBeta } from './incomplete-beta.ts';
import { logBeta } from './log-gamma.ts';

/** A ratio of two polynomials, coefficients from the constant term up. */
type Rational = readonly [numerator: readonly number[], denominator: readonly number[]];

const central: Rational = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
];
const near: Rational = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
];
const far: Rational = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 0.000018463183175100548,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
];

const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);

const evaluate = ([numerator, denominator]: Rational, x: number) =>
  polynomial(numerator, x) / polynomial(denominator, x);

/** Φ⁻¹(p), the standard normal quantile (Wichura 1988, AS 241); ±Infinity at 1 and 0. */
export function normalQuantile(p: number): number {
  if (p <= 0 || p >= 1) return p <= 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * evaluate(central, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const size = r <= 5 ? evaluate(near, r - 1.6) : evaluate(far, r - 5);
  return q < 0 ? -size : size;
}

/** P(T ≤ t) of Student's t with `df` degrees of freedom, by the incomplete Beta function (Abramowitz & Stegun 26.7.1). */
export function studentCdf(t: number, df: number): number {
  const square = t * t;
  if (square < df) {
    const inside = incompleteBeta({ a: 0.5, b: df / 2, x: square / (df + square) });
    return 0.5 + (Math.sign(t) * inside) / 2;
  }
  const tail = incompleteBeta({ a: df / 2, b: 0.5, x: df / (df + square) }) / 2;
  return t < 0 ? tail : 1 - tail;
}

function studentDensity(t: number, df: number): number {
  const logScale = -logBeta(df / 2, 0.5) - Math.log(df) / 2;
  return Math.exp(logScale - ((df + 1) / 2) * Math.log1p((t * t) / df));
}

/** The t quantile (Student 1908) by Newton's method; `df` may be fractional, p = 0.5 is exactly 0. */
export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentQuantile(1 - p, df);
  // The normal quantile lies below the root and the upper tail is convex there: every step lands below it again.
  let t = normalQuantile(p);
  for (let step = t, round = 0; Math.abs(step) > 1e-14 * t && round < 200; round += 1) {
    const upper = studentCdf(-t, df);
    step = (upper - (1 - p)) / studentDensity(t, df);
    t += step;
  }
  return t;
}
