import { describe, expect, test } from 'vitest';
import { betaBinomial } from './beta-binomial.ts';

describe('Jeffreys comparison of one case', () => {
  test('equal counts are even odds', () => {
    expect(betaBinomial([10, 20, 10, 20]).probRegression).toBeCloseTo(0.5, 9);
  });

  test('1/1 → 0/1 already looks likely, which is why it never decides', () => {
    expect(betaBinomial([1, 1, 0, 1]).probRegression).toBeCloseTo(0.905, 3);
  });

  test('swapping the arms gives the complement', () => {
    const here = betaBinomial([7, 9, 2, 5]).probRegression;
    expect(betaBinomial([2, 5, 7, 9]).probRegression).toBeCloseTo(1 - here, 7);
  });

  test('ten thousand trials do not overflow', () => {
    expect(betaBinomial([8000, 10_000, 7900, 10_000]).probRegression).toBeCloseTo(0.96, 2);
  });

  test('impossible counts are a bug of the caller', () => {
    expect(() => betaBinomial([2, 1, 0, 1])).toThrow(RangeError);
  });
});
