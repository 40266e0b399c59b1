import { describe, expect, test } from 'vitest';
import { logBeta, logGamma } from './log-gamma.ts';

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
