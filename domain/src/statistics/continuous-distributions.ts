const logSqrtTwoPi = 0.9189385332046727;

/** Bernoulli terms of Stirling's series, 1/12x − 1/360x³ + …; from x = 10 the last one is below 1e-16. */
const stirlingTerms = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
] as const;

const stirlingFrom = 10;

/** Lanczos coefficients for g = 607/128 (P. Godfrey 2001). */
const lanczosShift = 607 / 128;
const lanczos = [
  57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202, 0.00003399464998481189,
  0.00004652362892704858, -0.00009837447530487956, 0.0001580887032249125, -0.00021026444172410488,
  0.00021743961811521265, -0.0001643181065367639, 0.00008441822398385275, -0.000026190838401581408,
  0.0000036899182659531625,
] as const;

function stirlingCorrection(x: number): number {
  const inverseSquare = 1 / (x * x);
  return stirlingTerms.reduceRight((sum, term) => sum * inverseSquare + term, 0) / x;
}

function lanczosLogGamma(x: number): number {
  const series = lanczos.reduce((sum, c, i) => sum + c / (x + i + 1), 0.9999999999999971);
  const shifted = x + lanczosShift + 0.5;
  return (x + 0.5) * Math.log(shifted) - shifted + logSqrtTwoPi + Math.log(series / x);
}

/** ln Γ(x) for x > 0: Lanczos 1964 for small x, Stirling's series with corrections from 10 on. */
export function logGamma(x: number): number {
  if (x === 1 || x === 2) return 0;
  if (x < stirlingFrom) return lanczosLogGamma(x);
  return (x - 0.5) * Math.log(x) - x + logSqrtTwoPi + stirlingCorrection(x);
}

/** ln B(a, b) for positive a and b, without subtracting large logarithms from each other (Didonato & Morris 1992). */
export function logBeta(a: number, b: number): number {
  const small = Math.min(a, b);
  const large = Math.max(a, b);
  const sum = small + large;
  if (large < stirlingFrom) return logGamma(small) + logGamma(large) - logGamma(sum);
  const logLargeShare = Math.log1p(-small / sum);
  const correction = stirlingCorrection(large) - stirlingCorrection(sum);
  if (small < stirlingFrom) {
    return logGamma(small) + correction + small - small * Math.log(sum) + (large - 0.5) * logLargeShare;
  }
  return (
    logSqrtTwoPi -
    0.5 * Math.log(large) +
    stirlingCorrection(small) +
    correction +
    (small - 0.5) * Math.log(small / sum) +
    large * logLargeShare
  );
}

/** Shape of a Beta distribution and a point in [0, 1]. */
type BetaPoint = { readonly a: number; readonly b: number; readonly x: number };

const tiny = 1e-300;
const maxTerms = 100_000;

const awayFromZero = (value: number) => (Math.abs(value) < tiny ? tiny : value);

/** Continued fraction of the incomplete Beta function by Lentz's method; converges fast for x < (a+1)/(a+b+2). */
function continuedFraction({ a, b, x }: BetaPoint): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= maxTerms; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / awayFromZero(1 + term * d);
      c = awayFromZero(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return fraction;
}

const isInFastHalf = ({ a, b, x }: BetaPoint) => x < (a + 1) / (a + b + 2);

const mirrored = ({ a, b, x }: BetaPoint): BetaPoint => ({ a: b, b: a, x: 1 - x });

function logFastHalf(point: BetaPoint): number {
  const { a, b, x } = point;
  const logFront = a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b) - Math.log(a);
  return logFront + Math.log(continuedFraction(point));
}

/** Regularised incomplete Beta function I_x(a, b), the Beta distribution function (DLMF 8.17.22). */
export function incompleteBeta(point: BetaPoint): number {
  if (point.x <= 0) return 0;
  if (point.x >= 1) return 1;
  return isInFastHalf(point) ? Math.exp(logFastHalf(point)) : 1 - Math.exp(logFastHalf(mirrored(point)));
}

/** ln I_x(a, b), exact also where I itself would underflow to 0; −Infinity at x = 0. */
export function logIncompleteBeta(point: BetaPoint): number {
  if (point.x <= 0) return Number.NEGATIVE_INFINITY;
  if (point.x >= 1) return 0;
  return isInFastHalf(point) ? logFastHalf(point) : Math.log1p(-Math.exp(logFastHalf(mirrored(point))));
}

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
