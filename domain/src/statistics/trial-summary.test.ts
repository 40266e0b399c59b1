import { describe, expect, test } from 'vitest';
import { meanOfKnown, summariseTrials } from './trial-summary.ts';

describe('summary over trials', () => {
  test('S0-94 a real 0 is averaged, null is not', () => {
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
