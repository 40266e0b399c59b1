import { logBeta } from './log-gamma.ts';

/** Shape of a Beta distribution and a point in [0, 1]. */
export type BetaPoint = { readonly a: number; readonly b: number; readonly x: number };

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
