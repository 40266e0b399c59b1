import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  convolve,
  convolveAll,
  convolvePower,
  hypergeometric,
  hypergeometricMoments,
  lowerTail,
  massFromRatios,
  type ProbabilityMass,
  pointMass,
  upperTail,
} from './probability-mass.ts';

const coins = (n: number) =>
  massFromRatios({ low: 0, high: n, mode: Math.floor(n / 2), ratio: (k) => (n - k) / (k + 1) });

describe('a distribution from the ratios of its neighbours', () => {
  test('four coins', () => {
    expect([...coins(4).mass]).toEqual([1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]);
  });

  test('does not depend on where the walk starts', () => {
    const shape = { low: 2, high: 6, ratio: (k: number) => (7 - k) / k };
    const fromLow = massFromRatios({ ...shape, mode: 2 });
    const fromBeyond = massFromRatios({ ...shape, mode: 99 });
    for (let k = 2; k <= 6; k += 1) expect(pointMass(fromBeyond, k)).toBeCloseTo(pointMass(fromLow, k), 15);
  });

  test('a single support point is certain', () => {
    expect(massFromRatios({ low: 3, high: 3, mode: 3, ratio: () => 0 })).toEqual({
      start: 3,
      mass: Float64Array.of(1),
    });
  });
});

describe('tails', () => {
  test('are exactly 0 and 1 outside the support', () => {
    const four = coins(4);
    expect([lowerTail(four, -1), lowerTail(four, 4), upperTail(four, 0), upperTail(four, 5)]).toEqual([0, 1, 1, 0]);
    expect([pointMass(four, -1), pointMass(four, 5)]).toEqual([0, 0]);
  });

  test('a far tail keeps its digits instead of cancelling against 1', () => {
    expect(lowerTail(coins(200), 0)).toBeCloseTo(2 ** -200, 70);
    expect(lowerTail(coins(200), 0) / 2 ** -200).toBeCloseTo(1, 12);
  });

  test('lower and upper tail share one point', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: -2, max: 62 }), (n, k) => {
        const both = lowerTail(coins(n), k) + upperTail(coins(n), k);
        expect(both).toBeCloseTo(1 + pointMass(coins(n), k), 14);
      }),
    );
  });
});

const total = ({ mass }: ProbabilityMass) => mass.reduce((sum, p) => sum + p, 0);

describe('sums of independent counts', () => {
  test('two coins and three coins are five coins', () => {
    const sum = convolve(coins(2), coins(3));
    for (let k = 0; k <= 5; k += 1) expect(pointMass(sum, k)).toBeCloseTo(pointMass(coins(5), k), 15);
  });

  test('a power is the same as adding one by one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), (count) => {
        const power = convolvePower(coins(3), count);
        for (let k = 0; k <= 3 * count; k += 1)
          expect(pointMass(power, k)).toBeCloseTo(pointMass(coins(3 * count), k), 14);
      }),
      { numRuns: 20 },
    );
  });

  test('a certain value only shifts the sum', () => {
    const certain: ProbabilityMass = { start: 7, mass: Float64Array.of(1) };
    expect(convolveAll([certain, coins(2)])).toEqual({ start: 7, mass: coins(2).mass });
  });

  test('no parts are a certain 0', () => {
    expect(convolveAll([])).toEqual({ start: 0, mass: Float64Array.of(1) });
  });

  test('trimming shortens a long sum and loses next to nothing', () => {
    const sum = convolvePower(coins(1), 10_000);
    expect(sum.mass.length).toBeLessThan(1000);
    expect(total(sum)).toBeCloseTo(1, 12);
    expect(pointMass(sum, 5000)).toBeCloseTo(0.0079786461393822, 12);
  });

  test('parts of very different lengths sum to the same mean', () => {
    const parts = [coins(500), ...Array.from({ length: 9 }, (_, i) => coins(i))];
    const sum = convolveAll(parts);
    const mean = [...sum.mass].reduce((at, p, i) => at + p * (sum.start + i), 0);
    expect(mean).toBeCloseTo((500 + 36) / 2, 10);
  });
});

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
