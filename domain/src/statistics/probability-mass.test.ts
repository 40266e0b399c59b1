import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lowerTail, massFromRatios, pointMass, upperTail } from './probability-mass.ts';

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
