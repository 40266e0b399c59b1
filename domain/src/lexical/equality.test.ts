import { expect, test } from 'vitest';
import { isEqualText } from './equality.ts';

test('without options case, punctuation and white space count, but not how accents are composed', () => {
  expect(isEqualText('Cafe\u0301', 'Caf\u00e9')).toBe(true);
  expect(isEqualText('Yes', 'yes')).toBe(false);
  expect(isEqualText('yes.', 'yes')).toBe(false);
  expect(isEqualText('yes ', 'yes')).toBe(false);
});

test('each option ignores its own difference', () => {
  expect(isEqualText('YES', 'yes', { caseInsensitive: true })).toBe(true);
  expect(isEqualText('y-e.s!', 'yes', { stripPunctuation: true })).toBe(true);
  expect(isEqualText(' we\n open ', 'we open', { stripWhitespace: true })).toBe(true);
  expect(isEqualText('weopen', 'we open', { stripWhitespace: true })).toBe(false);
});

test('white space is folded after punctuation is gone', () => {
  expect(isEqualText('we - open', 'we open', { stripPunctuation: true, stripWhitespace: true })).toBe(true);
});
