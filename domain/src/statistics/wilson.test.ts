import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wilson } from './wilson.ts';

describe('Wilson interval', () => {
  test('nothing scored says nothing', () => {
    expect(wilson({ passed: 0, scored: 0 })).toEqual({ lo: 0, hi: 1 });
  });

  test('no pass and no failure give exact ends', () => {
    expect(wilson({ passed: 0, scored: 7 }).lo).toBe(0);
    expect(wilson({ passed: 7, scored: 7 }).hi).toBe(1);
  });

  test('contains the rate, stays in 0–1 and mirrors with the outcome', () => {
    const trials = fc
      .integer({ min: 1, max: 500 })
      .chain((scored) => fc.record({ scored: fc.constant(scored), passed: fc.integer({ min: 0, max: scored }) }));
    fc.assert(
      fc.property(trials, ({ passed, scored }) => {
        const { lo, hi } = wilson({ passed, scored });
        const mirrored = wilson({ passed: scored - passed, scored });
        expect(lo).toBeGreaterThanOrEqual(0);
        expect(lo).toBeLessThanOrEqual(passed / scored);
        expect(hi).toBeGreaterThanOrEqual(passed / scored);
        expect(hi).toBeLessThanOrEqual(1);
        expect(mirrored.lo).toBeCloseTo(1 - hi, 12);
      }),
    );
  });
});
