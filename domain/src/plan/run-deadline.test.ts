import { expect, test } from 'vitest';
import { runDeadlineMs } from './run-deadline.ts';

const hourMs = 3_600_000;
const caseTimeoutMs = 120_000;
const fleets = (pool: string) => (pool === 'gpu' ? { runners: 1, slots: 2 } : { runners: 2, slots: 10 });

test('a run may take as long as its fleet needs for it, and an hour in any case', () => {
  const load = (testRuns: number) => [{ pool: 'default', testRuns, caseTimeoutMs }];
  expect(runDeadlineMs(load(100), fleets, hourMs)).toBe(hourMs);
  expect(runDeadlineMs(load(100_000), fleets, hourMs)).toBe(600_000_000);
});

test('of several pools the one that needs longest decides', () => {
  const load = [
    { pool: 'default', testRuns: 1_000, caseTimeoutMs },
    { pool: 'gpu', testRuns: 500, caseTimeoutMs },
    { pool: 'gpu', testRuns: 500, caseTimeoutMs },
  ];
  expect(runDeadlineMs(load, fleets, hourMs)).toBe(60_000_000);
});
