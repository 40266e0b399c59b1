import { describe, expect, test } from 'vitest';
import {
  casesForNewSuite,
  meanWithinVariance,
  repetitionsAgainstHistory,
  repetitionsPerArm,
  smallestDetectableDrop,
} from './power.ts';

// The examples of the specification.
const plans = [
  { cases: 50, withinVariance: 0.09, drop: 0.05, perArm: 9, againstHistory: 6 },
  { cases: 20, withinVariance: 0.09, drop: 0.1, perArm: 6, againstHistory: 4 },
  { cases: 100, withinVariance: 0.05, drop: 0.03, perArm: 7, againstHistory: 5 },
];

describe('planning repetitions', () => {
  test.for(plans)('$cases cases with variance $withinVariance for a drop of $drop', (plan) => {
    expect(repetitionsPerArm(plan).repetitions).toBe(plan.perArm);
    expect(repetitionsAgainstHistory({ ...plan, baseTrials: 21 })?.repetitions).toBe(plan.againstHistory);
  });

  test('a short history can make a drop undetectable with any number of repetitions', () => {
    expect(repetitionsAgainstHistory({ cases: 10, withinVariance: 0.25, drop: 0.02, baseTrials: 3 })).toBeNull();
  });

  test('cases without noise still need one repetition', () => {
    expect(repetitionsPerArm({ cases: 10, withinVariance: 0, drop: 0.1 }).repetitions).toBe(1);
    expect(repetitionsAgainstHistory({ cases: 10, withinVariance: 0, drop: 0.1, baseTrials: 3 })?.repetitions).toBe(1);
  });

  test.for([
    [50, 0.09, 3, 21, 6.5],
    [20, 0.09, 3, 21, 10.3],
    [100, 0.05, 3, 21, 3.4],
    [20, 0.09, 1, 1, 23.6],
  ] as const)('%d cases with variance %d, %d repetitions against %d can see %d points', (row) => {
    const [cases, withinVariance, repetitions, baseTrials, points] = row;
    const drop = smallestDetectableDrop({ cases, withinVariance, repetitions, baseTrials });
    expect((drop * 100).toFixed(1)).toBe(points.toFixed(1));
  });

  test('the smallest detectable drop is the one that these repetitions are planned for', () => {
    const drop = smallestDetectableDrop({ cases: 30, withinVariance: 0.1, repetitions: 4, baseTrials: 20 });
    const plan = repetitionsAgainstHistory({ cases: 30, withinVariance: 0.1, drop, baseTrials: 20 });
    expect(plan?.exact).toBeCloseTo(4, 10);
  });

  test('a new suite that must see 3 points needs nearly a thousand single-run cases', () => {
    const arm = { variance: 0, trials: 1 };
    expect(casesForNewSuite({ differenceVariance: 1 / 9, base: arm, head: arm, drop: 0.03 })).toBeCloseTo(969, 1);
  });
});

describe('noise within cases', () => {
  test('a case that always passed is still thought a little noisy', () => {
    expect(meanWithinVariance([{ passed: 20, scored: 20 }])).toBeCloseTo((20.5 / 21) * (0.5 / 21), 15);
  });

  test('no cases, no noise to know', () => {
    expect(meanWithinVariance([])).toBeNull();
  });
});
