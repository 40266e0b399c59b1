import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseCounts, UnfinishedCase } from '../statistics/case-counts.ts';
import { runGate } from './gate.ts';
import { isRegressionCertain } from './stop-early.ts';

type Trial = { passed: boolean; isIn: boolean; isLost: boolean };
type Arms = { base: Trial[]; head: Trial[] };

const trial = (passes: number) =>
  fc.record({
    passed: fc.integer({ min: 1, max: 10 }).map((roll) => roll <= passes),
    isIn: fc.integer({ min: 1, max: 10 }).map((roll) => roll <= 9),
    isLost: fc.integer({ min: 1, max: 10 }).map((roll) => roll === 1),
  });
const arms: fc.Arbitrary<Arms> = fc.record({
  base: fc.array(trial(9), { minLength: 1, maxLength: 8 }),
  head: fc.array(trial(4), { minLength: 1, maxLength: 5 }),
});

const count = (trials: Trial[]) => [trials.filter(({ passed }) => passed).length, trials.length] as const;

const soFar = ({ base, head }: Arms): UnfinishedCase => {
  const inBase = base.filter(({ isIn }) => isIn);
  const inHead = head.filter(({ isIn }) => isIn);
  return {
    counts: [...count(inBase), ...count(inHead)],
    outstandingBase: base.length - inBase.length,
    outstandingHead: head.length - inHead.length,
  };
};

/** Outstanding trials come in or are lost; those that were in stay. */
const atTheEnd = ({ base, head }: Arms): CaseCounts => {
  const kept = (trials: Trial[]) => trials.filter(({ isIn, isLost }) => isIn || !isLost);
  return [...count(kept(base)), ...count(kept(head))];
};

const stable = (counts: CaseCounts, outstandingHead = 0): UnfinishedCase => ({
  counts,
  outstandingBase: 0,
  outstandingHead,
});

describe('curtailment', () => {
  test('agrees with running to the end, also when outstanding trials never come', () => {
    let stopped = 0;
    fc.assert(
      fc.property(fc.array(arms, { minLength: 3, maxLength: 8 }), (suite) => {
        if (!isRegressionCertain({ cases: suite.map(soFar) })) return;
        stopped += 1;
        const end = suite.map(atTheEnd).filter(([, base, , head]) => base > 0 && head > 0);
        expect(runGate({ cases: end, planned: suite.length }).verdict).toBe('regressed');
      }),
      { numRuns: 500 },
    );
    expect(stopped).toBeGreaterThan(50);
  });

  test('a suite that collapsed stops before its last round', () => {
    const cases = Array.from({ length: 10 }, () => stable([3, 3, 0, 2], 1));
    expect(isRegressionCertain({ cases })).toBe(true);
  });

  test('good news never stops a run', () => {
    const cases = Array.from({ length: 10 }, () => stable([0, 3, 2, 2], 1));
    expect(isRegressionCertain({ cases })).toBe(false);
  });

  test('waits while coverage may still fall short', () => {
    const collapsed = Array.from({ length: 7 }, () => stable([3, 3, 0, 3]));
    const silent = Array.from({ length: 3 }, () => stable([3, 3, 0, 0], 3));
    expect(isRegressionCertain({ cases: [...collapsed, ...silent] })).toBe(false);
    expect(isRegressionCertain({ cases: [] })).toBe(false);
  });

  test('a case that can no longer take part does not shift quarantine and clusters', () => {
    const gone = stable([21, 21, 0, 0]);
    const calm = Array.from({ length: 60 }, () => stable([20, 20, 5, 5]));
    const cases = [gone, ...calm, stable([21, 21, 0, 5])];
    const clusters = cases.map((_, i) => (i % 2 === 0 ? 'even' : 'odd'));
    expect(isRegressionCertain({ cases, clusters })).toBe(true);
    expect(isRegressionCertain({ cases, clusters, quarantined: [61] })).toBe(false);
  });
});
