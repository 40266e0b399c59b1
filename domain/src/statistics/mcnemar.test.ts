import { describe, expect, test } from 'vitest';
import { mcnemarExact } from './mcnemar.ts';

describe('exact McNemar test', () => {
  test('nothing differs, nothing is shown', () => {
    expect(mcnemarExact({ losses: 0, wins: 0 })).toEqual({
      pTwoSided: 1,
      pRegression: 1,
      midPTwoSided: 1,
      midPRegression: 1,
    });
  });

  test('five losses and no win', () => {
    const result = mcnemarExact({ losses: 5, wins: 0 });
    expect(result.pRegression).toBeCloseTo(1 / 32, 15);
    expect(result.midPTwoSided).toBeCloseTo(1 / 32, 15);
  });

  test('a draw is no evidence in either direction', () => {
    const result = mcnemarExact({ losses: 4, wins: 4 });
    expect(result.pTwoSided).toBe(1);
    expect(result.midPTwoSided).toBeCloseTo(1, 14);
    expect(result.midPRegression).toBeCloseTo(0.5, 14);
  });
});
