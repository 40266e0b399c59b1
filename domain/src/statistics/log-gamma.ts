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
