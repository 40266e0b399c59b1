import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestCommonSubsequence } from './longest-common-subsequence.ts';
import { meteor } from './meteor.ts';
import { bleu, f1, rougeL, rougeN } from './overlap-scores.ts';

const words = ['the', 'cat', 'cats', 'sat', 'on', '1,200.50', '.', 'constructor', '__proto__', 'né', '😀', '-', '<b>'];
const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' '));
const anything = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 30 }));

const scores: Readonly<Record<string, (response: string, truth: string) => number | null | undefined>> = {
  bleu: (response, truth) => bleu(response, truth)?.score,
  rouge1: (response, truth) => rougeN(response, truth, 1)?.f,
  rouge2: (response, truth) => rougeN(response, truth, 2)?.f,
  rougeL: (response, truth) => rougeL(response, truth)?.f,
  meteor,
  f1,
};

test.each(Object.entries(scores))('%s is between 0 and 1, or there is nothing to compare with', (_name, score) => {
  fc.assert(
    fc.property(anything, anything, (response, truth) => {
      const value = score(response, truth);
      return value === null || value === undefined || (value >= 0 && value <= 1);
    }),
  );
});

test.each(['bleu', 'rouge1', 'rougeL', 'f1'])('%s of a text with itself is 1', (name) => {
  fc.assert(
    fc.property(anything, (same) => {
      const value = scores[name]?.(same, same);
      if (value !== null && value !== undefined) expect(value).toBeCloseTo(1, 9);
    }),
  );
});

test.each(['rouge1', 'rouge2', 'rougeL', 'f1'])('%s is the same from either side', (name) => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [there, back] = [scores[name]?.(a, b), scores[name]?.(b, a)];
      if (typeof there === 'number' && typeof back === 'number') expect(there).toBeCloseTo(back, 9);
    }),
  );
});

test('a common subsequence is at least as long as any prefix that both share', () => {
  const tokens = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  fc.assert(
    fc.property(tokens, tokens, tokens, (shared, a, b) => {
      expect(longestCommonSubsequence([...shared, ...a], [...shared, ...b])).toBeGreaterThanOrEqual(shared.length);
    }),
  );
});
