import { expect, test } from 'vitest';
import { meteor } from './meteor.ts';

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
