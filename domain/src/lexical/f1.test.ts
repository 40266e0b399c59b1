import { expect, test } from 'vitest';
import { f1 } from './f1.ts';

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
