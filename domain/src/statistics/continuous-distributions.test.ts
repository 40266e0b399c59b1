import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  incompleteBeta,
  logBeta,
  logGamma,
  logIncompleteBeta,
  normalQuantile,
  studentCdf,
  studentQuantile,
} from './continuous-distributions.ts';

const relativeError = (actual: number, expected: number) => Math.abs(actual - expected) / Math.abs(expected);

// Reference values from 40-digit arithmetic.
describe('log-gamma', () => {
  test.for([
    [0.5, 0.5723649429247001],
    [1.5, -0.12078223763524522],
    [3, Math.LN2],
    [9.5, 11.689333420797269],
    [10, 12.801827480081469],
    [100.5, 361.4355404677776],
    [256, 1161.7121011184006],
    [10_000, 82099.71749644238],
    [1e6, 12815504.569147611],
  ] as const)('ln Γ(%d)', ([x, expected]) => {
    expect(relativeError(logGamma(x), expected)).toBeLessThan(1e-14);
  });

  test('is exactly 0 at 1 and 2', () => {
    expect([logGamma(1), logGamma(2)]).toEqual([0, 0]);
  });
});

describe('ln B', () => {
  test.for([
    [0.5, 0.5, 1.1447298858494002],
    [0.5, 5000, -3.6862066527834605],
    [3, 20_000, -29.017465470798815],
    [10, 10, -13.736229227036555],
    [10_000, 12_000, -15161.586398747588],
  ] as const)('ln B(%d, %d), in either order', ([a, b, expected]) => {
    expect(relativeError(logBeta(a, b), expected)).toBeLessThan(1e-14);
    expect(logBeta(b, a)).toBe(logBeta(a, b));
  });
});

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
