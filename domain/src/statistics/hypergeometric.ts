import { massFromRatios, type ProbabilityMass } from './probability-mass.ts';

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
