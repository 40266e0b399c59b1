import { describe, expect, test } from 'vitest';
import { hypergeometric, hypergeometricMoments } from './hypergeometric.ts';
import { lowerTail, pointMass } from './probability-mass.ts';

const relativeError = (actual: number, expected: number) => Math.abs(actual / expected - 1);

describe('hypergeometric distribution', () => {
  test('three of five drawn from four passes among ten', () => {
    const urn = hypergeometric({ total: 10, successes: 4, draws: 5 });
    expect(urn.start).toBe(0);
    for (const [k, ways] of [6, 60, 120, 60, 6].entries()) expect(urn.mass[k]).toBeCloseTo(ways / 252, 15);
  });

  test('has one point when all or none passed', () => {
    expect(hypergeometric({ total: 9, successes: 0, draws: 4 })).toEqual({ start: 0, mass: Float64Array.of(1) });
    expect(hypergeometric({ total: 9, successes: 9, draws: 4 })).toEqual({ start: 4, mass: Float64Array.of(1) });
  });

  // Reference values from 40-digit binomials.
  test('is exact to twelve digits for ten thousand trials on each side', () => {
    const urn = hypergeometric({ total: 20_000, successes: 15_900, draws: 10_000 });
    expect(relativeError(pointMass(urn, 7950), 0.01397451317865467)).toBeLessThan(1e-12);
    expect(relativeError(pointMass(urn, 7700), 2.885859885497085e-19)).toBeLessThan(1e-12);
    expect(relativeError(pointMass(urn, 7500), 6.877954040590032e-57)).toBeLessThan(1e-12);
    expect(relativeError(lowerTail(urn, 7900), 0.04145125032291483)).toBeLessThan(1e-12);
    expect(relativeError(lowerTail(urn, 7600), 6.771450833615863e-35)).toBeLessThan(1e-12);
  });

  test('moments agree with the distribution', () => {
    const urn = { total: 23, successes: 9, draws: 6 };
    const { start, mass } = hypergeometric(urn);
    const { mean, variance } = hypergeometricMoments(urn);
    const points = [...mass].map((p, i) => ({ p, k: start + i }));
    expect(points.reduce((sum, { p, k }) => sum + p * k, 0)).toBeCloseTo(mean, 13);
    expect(points.reduce((sum, { p, k }) => sum + p * (k - mean) ** 2, 0)).toBeCloseTo(variance, 13);
  });

  test('an empty urn and a single trial have no variance', () => {
    expect(hypergeometricMoments({ total: 0, successes: 0, draws: 0 })).toEqual({ mean: 0, variance: 0 });
    expect(hypergeometricMoments({ total: 1, successes: 1, draws: 1 })).toEqual({ mean: 1, variance: 0 });
  });
});
