import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { incompleteBeta, logIncompleteBeta } from './incomplete-beta.ts';

// Reference values from 40-digit binomial sums.
describe('incomplete Beta function', () => {
  test.for([
    [0.5, 0.5, 0.25, 0.3333333333333333],
    [200, 300, 0.35, 0.01034177025468762],
    [5000, 5000, 0.51, 0.9772579676754254],
    [2, 8000, 0.0002, 0.4751530466450388],
  ] as const)('I(%d, %d) at %d', ([a, b, x, expected]) => {
    expect(incompleteBeta({ a, b, x })).toBeCloseTo(expected, 11);
  });

  test('is 0 and 1 at the ends', () => {
    const ends = [0, 1].map((x) => [incompleteBeta({ a: 2, b: 3, x }), logIncompleteBeta({ a: 2, b: 3, x })]);
    expect(ends).toEqual([
      [0, Number.NEGATIVE_INFINITY],
      [1, 0],
    ]);
  });

  test('mirrors: I_x(a, b) + I_(1−x)(b, a) = 1', () => {
    const shape = fc.double({ min: 0.5, max: 200, noNaN: true });
    // Multiples of 1/1024, so that 1 − x is exact.
    const point = fc.integer({ min: 0, max: 1024 }).map((k) => k / 1024);
    fc.assert(
      fc.property(shape, shape, point, (a, b, x) => {
        expect(incompleteBeta({ a, b, x }) + incompleteBeta({ a: b, b: a, x: 1 - x })).toBeCloseTo(1, 11);
      }),
    );
  });

  test('the logarithm survives where the value underflows to 0', () => {
    const point = { a: 2001, b: 1, x: 0.5 };
    expect(incompleteBeta(point)).toBe(0);
    expect(logIncompleteBeta(point)).toBeCloseTo(-2001 * Math.LN2, 9);
    expect(logIncompleteBeta({ a: 600, b: 400, x: 0.5 })).toBeCloseTo(-22.943167778763424, 10);
  });
});
