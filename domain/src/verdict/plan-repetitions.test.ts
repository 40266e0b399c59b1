import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRepetitions } from './plan-repetitions.ts';

const times = (count: number, base: [number, number] | null, head: [number, number]) =>
  Array.from({ length: count }, () => ({
    base: base && { passed: base[0], scored: base[1] },
    head: { passed: head[0], scored: head[1] },
  }));

describe('planning repetitions', () => {
  test('ten cases that passed once need 24 repetitions to show ten points', () => {
    expect(planRepetitions(times(10, [1, 1], [1, 1]), 10)).toMatchObject({
      repetitions: 1,
      baseTrials: 1,
      neededRepetitions: 24,
    });
  });

  test('the suspicious suite of the specification needs 20', () => {
    const cases = [4, 3, 5, 4, 5, 4, 3, 5, 4, 5].map((passed) => ({
      base: { passed, scored: 5 },
      head: { passed: passed - 1, scored: 5 },
    }));
    expect(planRepetitions(cases, 10)?.neededRepetitions).toBe(20);
  });

  test('history on the base side saves repetitions on the head', () => {
    const both = planRepetitions(times(20, [3, 3], [3, 3]), 10);
    const history = planRepetitions(times(20, [21, 21], [3, 3]), 10);
    expect(history?.detectablePoints).toBeLessThan(both?.detectablePoints ?? 0);
    expect(history?.neededRepetitions).toBeLessThan(both?.neededRepetitions ?? 0);
  });

  test('says when no number of repetitions is enough against so few base trials', () => {
    expect(planRepetitions(times(3, [1, 2], [1, 1]), 10)?.neededRepetitions).toBeNull();
  });

  test('without a base the head says how noisy the cases are', () => {
    expect(planRepetitions(times(20, null, [3, 3]), 10)).toMatchObject({ baseTrials: null, cases: 20 });
    expect(planRepetitions([], 10)).toBeNull();
    expect(planRepetitions(times(2, null, [0, 0]), 10)).toBeNull();
  });

  test('the planned repetitions do see the drop, and one less does not', () => {
    const suite = fc.record({
      cases: fc.integer({ min: 2, max: 200 }),
      passed: fc.integer({ min: 0, max: 3 }),
      drop: fc.integer({ min: 2, max: 30 }),
    });
    fc.assert(
      fc.property(suite, ({ cases, passed, drop }) => {
        const needed = planRepetitions(times(cases, [passed, 3], [3, 3]), drop)?.neededRepetitions ?? 0;
        const seen = (repetitions: number) => {
          // Same rates at another number of trials: only the trials change what can be seen.
          const plan = planRepetitions(times(cases, [passed, 3], [3, 3]), drop);
          return (plan?.detectablePoints ?? 0) * Math.sqrt(3 / repetitions);
        };
        expect(seen(needed)).toBeLessThanOrEqual(drop + 1e-9);
        if (needed > 1) expect(seen(needed - 1)).toBeGreaterThan(drop - 1e-9);
      }),
    );
  });
});
