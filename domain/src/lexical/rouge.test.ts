import { expect, test } from 'vitest';
import { rougeL, rougeN } from './rouge.ts';

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
