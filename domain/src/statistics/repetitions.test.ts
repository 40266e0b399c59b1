import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  meanOfKnown,
  meanOverCases,
  passAtK,
  passHatK,
  type Reducer,
  reduceTrials,
  reduceValues,
  summariseTrials,
} from './repetitions.ts';

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

const statuses = (reducer: Reducer) => [0, 1, 2, 3, 4].map((passed) => reduceTrials({ scored: 4, passed }, reducer));

describe('one status from repetitions', () => {
  test('majority needs more than half: a tie is failed', () => {
    expect(statuses({ kind: 'majority' })).toEqual(['failed', 'failed', 'failed', 'passed', 'passed']);
  });

  test('all, any and at least k', () => {
    expect(statuses({ kind: 'all' })).toEqual(['failed', 'failed', 'failed', 'failed', 'passed']);
    expect(statuses({ kind: 'any' })).toEqual(['failed', 'passed', 'passed', 'passed', 'passed']);
    expect(statuses({ kind: 'at_least', k: 2 })).toEqual(['failed', 'failed', 'passed', 'passed', 'passed']);
  });

  test('no scored trial is an error, never a pass', () => {
    for (const kind of ['majority', 'all', 'any'] as const) {
      expect(reduceTrials({ scored: 0, passed: 0 }, { kind })).toBe('error');
    }
  });

  test('the default is majority', () => {
    expect(reduceTrials({ scored: 3, passed: 2 })).toBe('passed');
  });
});

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

describe('summary over trials', () => {
  test('a real 0 is averaged, null is not', () => {
    expect(meanOfKnown([0, null, 1])).toBe(0.5);
  });

  test('nothing known has no mean', () => {
    expect(meanOfKnown([null])).toBeNull();
    expect(summariseTrials([])).toBeNull();
  });

  test('mean, median and 95th percentile interpolate between trials', () => {
    expect(summariseTrials([40, 10, 30, 20])).toEqual({ mean: 25, p50: 25, p95: 38.5 });
    expect(summariseTrials([7])).toEqual({ mean: 7, p50: 7, p95: 7 });
  });
});
