import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meanOverCases, passAtK, passHatK } from './pass-at-k.ts';

const trials = fc
  .integer({ min: 1, max: 60 })
  .chain((scored) => fc.record({ scored: fc.constant(scored), passed: fc.integer({ min: 0, max: scored }) }));

describe('pass@k and pass^k', () => {
  test('three of five, two chosen: pass^k is 0.3, not the square of the rate', () => {
    expect(passHatK({ scored: 5, passed: 3 }, 2)).toBeCloseTo(0.3, 15);
    expect(passAtK({ scored: 5, passed: 3 }, 2)).toBeCloseTo(0.9, 15);
  });

  test('fewer trials than k are no answer', () => {
    expect(passAtK({ scored: 2, passed: 1 }, 3)).toBeNull();
    expect(passHatK({ scored: 2, passed: 1 }, 3)).toBeNull();
  });

  test('failing all k is the complement of passing one', () => {
    fc.assert(
      fc.property(trials, fc.integer({ min: 1, max: 10 }), ({ scored, passed }, k) => {
        fc.pre(scored >= k);
        const failAll = passHatK({ scored, passed: scored - passed }, k) ?? 0;
        expect(passAtK({ scored, passed }, k)).toBeCloseTo(1 - failAll, 14);
      }),
    );
  });

  test('one chosen is the pass rate for both', () => {
    fc.assert(
      fc.property(trials, ({ scored, passed }) => {
        expect(passAtK({ scored, passed }, 1)).toBeCloseTo(passed / scored, 14);
        expect(passHatK({ scored, passed }, 1)).toBeCloseTo(passed / scored, 14);
      }),
    );
  });

  test('a suite is the mean over the cases with enough trials', () => {
    const cases = [
      { scored: 3, passed: 3 },
      { scored: 3, passed: 0 },
      { scored: 1, passed: 1 },
    ];
    expect(meanOverCases(cases, 3, passAtK)).toEqual({ value: 0.5, cases: 2 });
    expect(meanOverCases(cases, 9, passHatK)).toEqual({ value: null, cases: 0 });
  });
});
