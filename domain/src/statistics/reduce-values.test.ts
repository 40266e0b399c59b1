import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reduceValues } from './reduce-values.ts';

const scores = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 });
const count = (values: readonly number[], wanted: (value: number) => boolean) => values.filter(wanted).length;

describe('one score for all repetitions', () => {
  test.for([
    ['mean', 2.4],
    ['median', 2],
    ['mode', 1],
    ['min', 1],
    ['max', 5],
  ] as const)('the %s of 5, 1, 1, 2 and 3', ([kind, expected]) => {
    expect(reduceValues([5, 1, 1, 2, 3], { kind })).toBe(expected);
  });

  test('a quota is 1 or 0', () => {
    const given = [0.9, 0.4, 0.7];
    expect(reduceValues(given, { kind: 'at_least', k: 2, threshold: 0.7 })).toBe(1);
    expect(reduceValues(given, { kind: 'at_least', k: 3, threshold: 0.7 })).toBe(0);
  });

  test('nothing scored is no score', () => {
    for (const kind of ['mean', 'median', 'mode', 'min', 'max'] as const) expect(reduceValues([], { kind })).toBeNull();
  });

  test('are what their definitions say, read literally, in any order of the repetitions', () => {
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 9 }), (values, k) => {
        const median = reduceValues(values, { kind: 'median' }) ?? -1;
        expect(count(values, (value) => value <= median) * 2).toBeGreaterThanOrEqual(values.length);
        expect(count(values, (value) => value >= median) * 2).toBeGreaterThanOrEqual(values.length);
        const mode = reduceValues(values, { kind: 'mode' }) ?? -1;
        const often = (wanted: number) => count(values, (value) => value === wanted);
        for (const value of values) {
          expect(often(value) < often(mode) || (often(value) === often(mode) && value >= mode)).toBe(true);
        }
        const [min, max] = [reduceValues(values, { kind: 'min' }), reduceValues(values, { kind: 'max' })];
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
        const reached = count(values, (value) => value >= 3) >= k ? 1 : 0;
        expect(reduceValues(values, { kind: 'at_least', k, threshold: 3 })).toBe(reached);
        const turned = values.toReversed();
        expect(reduceValues(turned, { kind: 'mean' })).toBe(reduceValues(values, { kind: 'mean' }));
      }),
    );
  });
});
