import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareOut } from './call-limits.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

test('calls under way are shared evenly, and nobody is given more than it wants', () => {
  expect(shareOut(10, [40, 40], 0)).toEqual([5, 5]);
  expect(shareOut(10, [40, 1, 40], 0)).toEqual([5, 1, 4]);
  expect(shareOut(10, [40, 1, 40], 2)).toEqual([4, 1, 5]);
  expect(shareOut(10, [2, 3], 0)).toEqual([2, 3]);
  expect(shareOut(10, [0, 40], 0)).toEqual([0, 10]);
});

test('a limit of one goes round', () => {
  expect([0, 1, 2, 3].map((round) => shareOut(1, [9, 9, 9], round))).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ]);
});

test('the whole limit is shared out wherever that much is wanted, and the largest share is at most one larger than that of anybody who wants more', () => {
  const wanted = fc.array(fc.nat(50), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), wanted, fc.nat(1_000), (limit, wants, round) => {
      const shares = shareOut(limit, wants, round);
      expect(sum(shares)).toBe(Math.min(limit, sum(wants)));
      const short = shares.filter((share, at) => share < (wants[at] ?? 0));
      expect(Math.max(...shares)).toBeLessThanOrEqual(Math.min(...short, Number.POSITIVE_INFINITY) + 1);
    }),
  );
});
