import { lowerTail, massFromRatios, pointMass, upperTail } from './probability-mass.ts';

/** Cases that differ: `losses` passed on base only, `wins` on head only. */
export type Discordant = { readonly losses: number; readonly wins: number };

export type McnemarExact = {
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
