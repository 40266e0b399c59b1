import { expect, test } from 'vitest';
import { assertCounts, bestEndForHead } from './case-counts.ts';

test('counts between nothing and everything are sound', () => {
  expect(() => assertCounts([0, 0, 3, 3])).not.toThrow();
});

test.for([
  [2, 1, 0, 1],
  [0, 1, 2, 1],
  [-1, 1, 0, 1],
  [0.5, 1, 0, 1],
  [0, 1, 0, Number.NaN],
  [0, Number.POSITIVE_INFINITY, 0, 1],
] as const)('the impossible counts %j are a bug of the caller', (counts) => {
  expect(() => assertCounts(counts)).toThrow(RangeError);
});

test('outstanding head trials pass and outstanding base trials fail', () => {
  const unfinished = { counts: [3, 4, 0, 1], outstandingBase: 1, outstandingHead: 2 } as const;
  expect(bestEndForHead(unfinished)).toEqual([3, 5, 2, 3]);
});
