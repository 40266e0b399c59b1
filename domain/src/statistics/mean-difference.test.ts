import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meanDifference } from './mean-difference.ts';
import { pairedDifference } from './paired-difference.ts';

test('one difference has no spread to measure', () => {
  expect(meanDifference([])).toBeNull();
  expect(meanDifference([5])).toBeNull();
});

test('equal differences have an interval without width', () => {
  expect(meanDifference([5, 5, 5])).toEqual({ mean: 5, lo: 5, hi: 5 });
});

test('is the interval of the gate when the differences are those of pass rates', () => {
  const scored = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(scored, scored), { minLength: 2, maxLength: 20 }), (passes) => {
      const gate = pairedDifference(passes.map(([base, head]) => [base, 4, head, 4] as const));
      const here = meanDifference(passes.map(([base, head]) => (head - base) / 4));
      expect(here?.mean).toBeCloseTo(gate?.diff ?? Number.NaN, 12);
      expect(here?.lo).toBeCloseTo(gate?.lo ?? Number.NaN, 9);
      expect(here?.hi).toBeCloseTo(gate?.hi ?? Number.NaN, 9);
    }),
  );
});
