import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bleu, f1, meteor, rougeL, rougeN, tokenize13a } from './lexical-scores.ts';
import { longestCommonSubsequence } from './longest-common-subsequence.ts';

test('a comma or point stays in a number and leaves a word, entities are characters, a hyphen after a digit stands alone', () => {
  expect(tokenize13a('It cost $1,200.50, &quot;net&quot;, on 2024-01-05.')).toEqual([
    'It',
    'cost',
    '$',
    '1,200.50',
    ',',
    '"',
    'net',
    '"',
    ',',
    'on',
    '2024',
    '-',
    '01',
    '-',
    '05',
    '.',
  ]);
});

test('a word that is broken over two lines is one token', () => {
  expect(tokenize13a('semi-\nfinal <skipped>round')).toEqual(['semifinal', 'round']);
});

test('equal texts score 1, also when they are too short for 4-grams', () => {
  expect(bleu('We open at nine', 'We open at nine')?.score).toBeCloseTo(1, 12);
  expect(bleu('yes', 'yes')?.score).toBe(1);
});

test('case counts', () => {
  expect(bleu('YES', 'yes')?.score).toBe(0);
});

test('an order without a match is smoothed, a text without any match is 0', () => {
  expect(bleu('the cat', 'cat the')?.precisions).toEqual([1, 0.5, 0, 0]);
  expect(bleu('completely different', 'nothing in common')?.score).toBe(0);
});

test('a response without a token scores 0, a reference without one cannot be compared with', () => {
  expect(bleu(' \n', 'yes')).toEqual({ score: 0, precisions: [0, 0, 0, 0], brevityPenalty: 0 });
  expect(bleu('yes', ' \n')).toBeNull();
});

test('hyphens and apostrophes separate words', () => {
  expect(rougeN("We're open Monday-Friday", 'we re open monday friday', 1)?.f).toBe(1);
});

test('ROUGE-L is the longest common subsequence, gaps allowed', () => {
  expect(rougeL('a b c d', 'a x c d y')).toEqual({ p: 3 / 4, r: 3 / 5, f: (2 * 0.75 * 0.6) / 1.35 });
});

test('a repeated word counts only as often as the reference has it', () => {
  expect(rougeN('the the the the', 'the cat', 1)).toEqual({ p: 0.25, r: 0.5, f: 1 / 3 });
});

test('one word has no pairs, so ROUGE-2 is 0', () => {
  expect(rougeN('yes', 'yes', 2)?.f).toBe(0);
});

test('a reference without ASCII letters or digits cannot be compared with', () => {
  expect(rougeL('こんにちは', 'こんにちは')).toBeNull();
  expect(rougeL('', 'yes')?.f).toBe(0);
});

test('case, ASCII punctuation and articles do not count', () => {
  expect(f1('The refund: issued!', 'a Refund issued')).toBe(1);
});

test('words are counted as often as both have them', () => {
  expect(f1('no no no', 'no yes')).toBe(0.4);
});

test('without overlap it is 0, and a reference of articles alone cannot be compared with', () => {
  expect(f1('yes', 'no')).toBe(0);
  expect(f1('', 'no')).toBe(0);
  expect(f1('the', 'the')).toBeNull();
});

test('a single equal word is half of the best, because it is one fragment of one match', () => {
  expect(meteor('yes', 'yes')).toBe(0.5);
});

test('words with the same stem match', () => {
  expect(meteor('the agent refunded orders', 'the agent refunds order')).toBe(meteor('a b c d', 'a b c d'));
});

test('the order of words costs fragments', () => {
  const ordered = meteor('one two three four', 'one two three four') ?? 0;
  expect(meteor('four three two one', 'one two three four')).toBeLessThan(ordered);
});

test('nothing shared is 0, a reference without a token cannot be compared with', () => {
  expect(meteor('apples', 'pears')).toBe(0);
  expect(meteor('', 'pears')).toBe(0);
  expect(meteor('pears', ' ')).toBeNull();
});

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
