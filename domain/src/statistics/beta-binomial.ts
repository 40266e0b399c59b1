import { assertCounts, type CaseCounts } from './case-counts.ts';
import { incompleteBeta, logBeta } from './continuous-distributions.ts';

export type BetaBinomial = {
  /** P(head's true pass rate is below base's). Orders suspects for display, never decides. */
  readonly probRegression: number;
  readonly headMean: number;
  readonly headLo: number;
  readonly headHi: number;
};

type Shape = { readonly a: number; readonly b: number };

const intervals = 4000;

const posterior = (passed: number, scored: number): Shape => ({
  a: 0.5 + passed,
  b: 0.5 + scored - passed,
});

/** ln(base^exponent), where 0^0 is 1. */
const logPower = (base: number, exponent: number) => (exponent === 0 ? 0 : exponent * Math.log(base));

/** P(X < Y) for independent Beta X and Y by Simpson's rule on x = sin²t, which removes the singular ends. */
function probabilityBelow(lower: Shape, upper: Shape): number {
  const step = Math.PI / 2 / intervals;
  const logScale = Math.LN2 - logBeta(lower.a, lower.b);
  let sum = 0;
  for (let i = 0; i <= intervals; i += 1) {
    const sine = Math.sin(i * step);
    const cosine = i === intervals ? 0 : Math.cos(i * step);
    const density = Math.exp(logScale + logPower(sine, 2 * lower.a - 1) + logPower(cosine, 2 * lower.b - 1));
    const weight = i === 0 || i === intervals ? 1 : 2 + 2 * (i % 2);
    if (density > 0) sum += weight * density * (1 - incompleteBeta({ ...upper, x: sine * sine }));
  }
  return (sum * step) / 3;
}

function betaQuantile({ a, b }: Shape, p: number): number {
  let low = 0;
  let high = Math.PI / 2;
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (incompleteBeta({ a, b, x: Math.sin(middle) ** 2 }) < p) low = middle;
    else high = middle;
  }
  return Math.sin((low + high) / 2) ** 2;
}

/** Jeffreys posteriors of one case, compared (Beta–binomial, Jeffreys 1946); display only, since 1/1 → 0/1 already gives 0.905. Throws for impossible counts. */
export function betaBinomial(counts: CaseCounts): BetaBinomial {
  assertCounts(counts);
  const [basePassed, baseScored, headPassed, headScored] = counts;
  const head = posterior(headPassed, headScored);
  return {
    probRegression: probabilityBelow(head, posterior(basePassed, baseScored)),
    headMean: head.a / (head.a + head.b),
    headLo: betaQuantile(head, 0.025),
    headHi: betaQuantile(head, 0.975),
  };
}
