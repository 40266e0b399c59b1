import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalQuantile, studentCdf, studentQuantile } from './quantiles.ts';

const relativeError = (actual: number, expected: number) => Math.abs(actual - expected) / Math.abs(expected);

// Reference values from 40-digit arithmetic.
describe('normal quantile', () => {
  test.for([
    [0.975, 1.9599639845400543],
    [0.3, -0.5244005127080408],
    [0.0001, -3.7190164854556804],
    [1e-12, -7.034483825301132],
  ] as const)('at %d', ([p, expected]) => {
    expect(relativeError(normalQuantile(p), expected)).toBeLessThan(1e-14);
  });

  test('is infinite at the ends and 0 in the middle', () => {
    expect([0, 0.5, 1].map(normalQuantile)).toEqual([Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY]);
  });
});

describe('Student’s t', () => {
  test.for([
    [0.975, 1, 12.706204736174694],
    [0.975, 10, 2.2281388519862744],
    [0.975, 9999, 1.9602012636213573],
    [0.9, 0.5, 10.27032441023451],
    [0.9999, 3, 22.203742273205002],
    [0.025, 7, -2.3646242515927853],
  ] as const)('quantile of %d with %d degrees of freedom', ([p, df, expected]) => {
    expect(relativeError(studentQuantile(p, df), expected)).toBeLessThan(1e-12);
  });

  test('the distribution function at closed forms, near 0 too', () => {
    expect(studentCdf(-1.5, 4)).toBeCloseTo(0.104, 14);
    expect(studentCdf(1, 1)).toBeCloseTo(0.75, 14);
    expect(studentCdf(1e-9, 5) - 0.5).toBeCloseTo(3.796066898e-10, 16);
  });

  test('quantile and distribution function undo each other', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), fc.integer({ min: 1, max: 500 }), (p, df) => {
        expect(studentCdf(studentQuantile(p, df), df)).toBeCloseTo(p, 12);
      }),
    );
  });

  test('the median is exactly 0', () => {
    expect(studentQuantile(0.5, 3)).toBe(0);
  });
});
