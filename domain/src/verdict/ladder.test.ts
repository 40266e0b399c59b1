import { Gate } from '@proofmark/contracts/gate';
import { describe, expect, test } from 'vitest';
import { climbLadder, type LadderFigures, ladderDefaults } from './ladder.ts';

/** Nothing suspicious, and a drop of ten points ruled out. */
const calm: LadderFigures = { coverage: 1, diff: 0, p: 1, midp: 0.5, midpImprove: 0.5, ciLo: -0.05, flagged: [] };
const verdictOf = (figures: Partial<LadderFigures>, ...rest: [object?, object?]) =>
  climbLadder({ ...calm, ...figures }, { ...ladderDefaults, ...rest[0] }, rest[1]);

describe('the ladder', () => {
  test.for([
    ['insufficient', { coverage: 0.79, flagged: [1] }],
    ['regressed', { midp: 0.05, diff: -0.02 }],
    ['regressed', { flagged: [3] }],
    ['suspected', { diff: -0.1 }],
    ['suspected', { midp: 0.2, diff: -0.02 }],
    ['improved', { midpImprove: 0.05, diff: 0.02 }],
    ['unchanged', { ciLo: -0.1 }],
    ['inconclusive', { ciLo: -0.11 }],
  ] as const)('%s: %j', ([verdict, figures]) => {
    expect(verdictOf(figures)).toBe(verdict);
  });

  test('a proven drop below the effect floor is no regression', () => {
    expect(verdictOf({ midp: 1e-9, diff: -0.0199 })).toBe('unchanged');
    expect(verdictOf({ midpImprove: 1e-9, diff: 0.0199 })).toBe('unchanged');
  });

  test('thresholds on differences and coverage forgive rounding, probabilities do not', () => {
    expect(verdictOf({ diff: -0.1 + 1e-13 })).toBe('suspected');
    expect(verdictOf({ coverage: 0.8 - 1e-13 })).toBe('unchanged');
    expect(verdictOf({ midp: 0.05 + 1e-13, diff: -0.05 })).toBe('suspected');
  });

  test('the suite chooses its own limits', () => {
    expect(verdictOf({ diff: -0.1 }, { alertDrop: 0.2 })).toBe('unchanged');
    expect(verdictOf({ midp: 0.08, diff: -0.05 }, { alpha: 0.1 })).toBe('regressed');
  });

  test('an adjusted probability decides about regressed, the plain one about suspected', () => {
    const doubtful = { midp: 0.04, diff: -0.05 };
    expect(verdictOf(doubtful, {}, { regressionProbability: 0.12 })).toBe('suspected');
  });

  test('a suspicion that a fresh rerun did not confirm continues below', () => {
    expect(verdictOf({ midp: 0.01, diff: -0.12, ciLo: -0.2 }, {}, { isCleared: true })).toBe('inconclusive');
  });
});

test('the ladder decides by the defaults of a suite, as fractions', () => {
  const { alpha, strict, screen, fdr, min_effect_percent, min_coverage_percent } = Gate.parse({});
  expect(ladderDefaults).toEqual({
    ...{ alpha, strict, screen, fdr, alertDrop: 0.1 },
    minEffect: min_effect_percent / 100,
    minCoverage: min_coverage_percent / 100,
  });
});
