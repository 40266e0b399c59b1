import { describe, expect, test } from 'vitest';
import type { Trial } from './count-trials.ts';
import { findDrift } from './prepare-cell.ts';

const trials = (passed: number, failed: number): Trial[] =>
  [
    ...Array.from({ length: passed }, () => 'passed' as const),
    ...Array.from({ length: failed }, () => 'failed' as const),
  ].map((status) => ({ caseName: 'a', comparabilityKey: 'a', status, errorKind: null }));

const suite = (count: number, history: Trial[], concurrent: Trial[]) =>
  Array.from({ length: count }, () => ({ history, concurrent }));

describe('drift of the base', () => {
  test('the same rates then and now are none', () => {
    expect(findDrift(suite(20, trials(20, 0), trials(1, 0)))).toBeNull();
  });

  test('a base that fails now what it always passed has drifted, and one that passes what it always failed too', () => {
    expect(findDrift([...suite(4, trials(20, 0), trials(0, 1)), ...suite(16, trials(20, 0), trials(1, 0))])).toEqual({
      midp: expect.closeTo((1 / 21) ** 4 / 2, 9),
      cases: 20,
    });
    expect(findDrift(suite(3, trials(0, 20), trials(1, 0)))?.midp).toBeGreaterThan(0.99);
  });

  test('the level is one in a hundred, two-sided', () => {
    expect(findDrift(suite(1, trials(20, 0), trials(0, 1)))).toBeNull();
    expect(findDrift([...suite(2, trials(20, 0), trials(0, 1))])).not.toBeNull();
  });

  test('cases with one of the two only say nothing', () => {
    expect(findDrift(suite(5, trials(20, 0), []))).toBeNull();
    expect(findDrift([])).toBeNull();
  });
});
