import { expect, test } from 'vitest';
import { writtenTotals } from './run-file.ts';

test('C08 errors count as failed too, and stand in a column of their own', () => {
  const totals = { passed: 5, failed: 2, errored: 1, skipped: 4 };
  expect(writtenTotals(totals)).toEqual({ passed: 5, failed: 3, errored: 1, skipped: 4 });
});
