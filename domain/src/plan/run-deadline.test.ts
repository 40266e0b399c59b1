import { expect, test } from 'vitest';
import { runDeadlineMs } from './run-deadline.ts';

const hourMs = 3_600_000;

test('a run may take as long as its fleet needs for it, and an hour in any case', () => {
  const fleet = { runners: 2, slots: 10 };
  expect(runDeadlineMs([{ testRuns: 100, caseTimeoutMs: 120_000 }], fleet, hourMs)).toBe(hourMs);
  expect(runDeadlineMs([{ testRuns: 100_000, caseTimeoutMs: 120_000 }], fleet, hourMs)).toBe(600_000_000);
});
