import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convolve, convolveAll, convolvePower } from './convolution.ts';
import { massFromRatios, type ProbabilityMass, pointMass } from './probability-mass.ts';

const coins = (n: number) =>
  massFromRatios({ low: 0, high: n, mode: Math.floor(n / 2), ratio: (k) => (n - k) / (k + 1) });
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
