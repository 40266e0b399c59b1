import { expect, test } from 'vitest';
import { passRate } from './pass-rate.ts';

test('S0-91 the rate is a percentage of the executed cases', () => {
  expect(passRate({ passed: 8, total: 10, skipped: 0 })).toBe(80);
  expect(passRate({ passed: 8, total: 10, skipped: 1 })).toBeCloseTo(800 / 9, 12);
});

test('S0-91 nothing executed has no rate', () => {
  expect(passRate({ passed: 0, total: 0, skipped: 0 })).toBeNull();
  expect(passRate({ passed: 0, total: 4, skipped: 4 })).toBeNull();
});
