import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestCommonSubsequence } from './longest-common-subsequence.ts';

/** The table of every book, cell by cell. */
function byTheBook(a: readonly string[], b: readonly string[]): number {
  let best: number[] = b.map(() => 0);
  for (const token of a) {
    const above = best;
    best = [];
    for (const [j, other] of b.entries()) {
      const left = best[j - 1] ?? 0;
      best.push(token === other ? (above[j - 1] ?? 0) + 1 : Math.max(above[j] ?? 0, left));
    }
  }
  return best.at(-1) ?? 0;
}

test('it is what the usual table says, over the borders of 32 columns too', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 100 });
  fc.assert(fc.property(text, text, (a, b) => longestCommonSubsequence(a, b) === byTheBook(a, b)));
});

test('all of a long text is in itself, and nothing of it in another', () => {
  const long = Array.from({ length: 5_000 }, (_, index) => `word ${index}`);
  expect(longestCommonSubsequence(long, long)).toBe(5_000);
  expect(longestCommonSubsequence(long, long.toReversed())).toBe(1);
  expect(longestCommonSubsequence(long, ['other'])).toBe(0);
  expect(longestCommonSubsequence([], long)).toBe(0);
});
