import { assertCounts, type CaseCounts } from './case-counts.ts';
import { convolveAll, convolvePower } from './convolution.ts';
import { hypergeometric, hypergeometricMoments, type Urn } from './hypergeometric.ts';
import { lowerTail, pointMass } from './probability-mass.ts';

export type ExactStratified = {
  /** P(as few head passes as observed, or fewer), given every case's total. */
  readonly p: number;
  /** The same with half the probability of the observed sum. */
  readonly midp: number;
  readonly observed: number;
  readonly nullMean: number;
  readonly nullSd: number;
};

type Stratum = { readonly urn: Urn; count: number };

function strataOf(cases: readonly CaseCounts[]): Stratum[] {
  const strata = new Map<string, Stratum>();
  for (const [basePassed, baseScored, headPassed, headScored] of cases) {
    const total = baseScored + headScored;
    const successes = basePassed + headPassed;
    const key = `${total},${successes},${headScored}`;
    const stratum = strata.get(key);
    if (stratum) stratum.count += 1;
    else strata.set(key, { urn: { total, successes, draws: headScored }, count: 1 });
  }
  // A fixed order makes the rounding, and so the last digit of p, independent of the order of cases.
  return [...strata.values()].toSorted(
    ({ urn: a }, { urn: b }) => a.total - b.total || a.successes - b.successes || a.draws - b.draws,
  );
}

/**
 * Exact conditional stratified test, one-sided against a worse head (exact Mantel–Haenszel; Gart 1970).
 * With one trial on each side it is McNemar's test, with one case Fisher's. Throws for impossible counts.
 */
export function exactStratified(cases: readonly CaseCounts[]): ExactStratified {
  let observed = 0;
  for (const counts of cases) {
    assertCounts(counts);
    observed += counts[2];
  }
  const strata = strataOf(cases);
  const sum = convolveAll(strata.map(({ urn, count }) => convolvePower(hypergeometric(urn), count)));
  let nullMean = 0;
  let nullVariance = 0;
  for (const { urn, count } of strata) {
    const { mean, variance } = hypergeometricMoments(urn);
    nullMean += count * mean;
    nullVariance += count * variance;
  }
  const p = lowerTail(sum, observed);
  const midp = Math.max(0, p - pointMass(sum, observed) / 2);
  return { p, midp, observed, nullMean, nullSd: Math.sqrt(nullVariance) };
}
