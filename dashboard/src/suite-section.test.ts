import { expect, test } from 'vitest';
import { groupCases } from './suite-section.ts';

const run = (caseName: string, repetition: number, status: string) => ({
  id: `${caseName}${repetition}`,
  caseName,
  repetition,
  status,
});

test('newly failing cases come first, then failures, errors, open and passed ones in the order of the file', () => {
  const groups = groupCases(
    [
      ...[run('passes', 1, 'PASSED'), run('errs', 1, 'ERROR'), run('always fails', 1, 'FAILED')],
      ...[
        run('broke', 2, 'FAILED'),
        run('broke', 1, 'PASSED'),
        run('waits', 1, 'QUEUED'),
        run('also passes', 1, 'PASSED'),
      ],
    ],
    ['broke'],
  );
  expect(groups.map(({ name, status, isNewlyFailing }) => [name, status, isNewlyFailing])).toEqual([
    ['broke', 'FAILED', true],
    ['always fails', 'FAILED', false],
    ['errs', 'ERROR', false],
    ['waits', 'QUEUED', false],
    ['passes', 'PASSED', false],
    ['also passes', 'PASSED', false],
  ]);
  expect(groups[0]?.testRuns.map(({ repetition }) => repetition)).toEqual([1, 2]);
});
