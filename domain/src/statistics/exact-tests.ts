import { assertCounts, type CaseCounts } from './case-counts.ts';
import {
  convolveAll,
  convolvePower,
  hypergeometric,
  hypergeometricMoments,
  lowerTail,
  massFromRatios,
  pointMass,
  type Urn,
  upperTail,
} from './probability-mass.ts';

type ExactStratified = {
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

/** Fisher's exact test of one case, one-sided: P(head passes as few or fewer | margins). Fisher 1935. */
export function fisherCase(counts: CaseCounts): number {
  assertCounts(counts);
  const [basePassed, baseScored, headPassed, headScored] = counts;
  const urn = {
    total: baseScored + headScored,
    successes: basePassed + headPassed,
    draws: headScored,
  };
  return lowerTail(hypergeometric(urn), headPassed);
}

/**
 * Fisher's exact test of "head has more", one-sided: P(head count as high or higher | margins).
 * For events such as errored trials, where more is worse.
 */
export function fisherHeadHasMore(events: {
  headCount: number;
  headTotal: number;
  baseCount: number;
  baseTotal: number;
}): number {
  const { headCount, headTotal, baseCount, baseTotal } = events;
  assertCounts([baseCount, baseTotal, headCount, headTotal]);
  const urn = {
    total: baseTotal + headTotal,
    successes: baseCount + headCount,
    draws: headTotal,
  };
  return upperTail(hypergeometric(urn), headCount);
}

/** Cases that differ: `losses` passed on base only, `wins` on head only. */
export type Discordant = { readonly losses: number; readonly wins: number };

type McnemarExact = {
  readonly pTwoSided: number;
  readonly pRegression: number;
  readonly midPTwoSided: number;
  readonly midPRegression: number;
};

/** Exact McNemar test: losses ~ Binomial(losses + wins, ½). McNemar 1947; mid-p Fagerland 2013. All 1 when nothing differs. */
export function mcnemarExact({ losses, wins }: Discordant): McnemarExact {
  const n = losses + wins;
  if (n === 0) return { pTwoSided: 1, pRegression: 1, midPTwoSided: 1, midPRegression: 1 };
  const binomial = massFromRatios({
    low: 0,
    high: n,
    mode: Math.floor(n / 2),
    ratio: (k) => (n - k) / (k + 1),
  });
  const doubled = 2 * lowerTail(binomial, Math.min(losses, wins));
  const point = pointMass(binomial, losses);
  const pRegression = upperTail(binomial, losses);
  return {
    pTwoSided: Math.min(1, doubled),
    pRegression,
    midPTwoSided: Math.min(1, doubled - point),
    midPRegression: pRegression - point / 2,
  };
}

/** Adjusted p-values in input order, adj(j) = min over k ≥ j of min(1, p(k)·m/k). Benjamini & Hochberg 1995. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const count = pValues.length;
  const ranked = pValues.map((p, index) => ({ p, index })).toSorted((a, b) => a.p - b.p);
  const adjusted = pValues.map(() => 1);
  let smallest = 1;
  for (const [position, { p, index }] of ranked.toReversed().entries()) {
    smallest = Math.min(smallest, (p * count) / (count - position));
    adjusted[index] = smallest;
  }
  return adjusted;
}
