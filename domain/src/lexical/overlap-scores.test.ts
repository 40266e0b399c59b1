import { expect, test } from 'vitest';
import { bleu, f1, rougeL, rougeN, tokenize13a } from './overlap-scores.ts';

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
