import { expect, test } from 'vitest';
import { sanitizeForStorage, truncateResponse } from './kept-text.ts';

test('S2-93 an answer above 20,000 characters is cut and says so', () => {
  const { text, isTruncated } = truncateResponse('x'.repeat(25_000));
  expect([text.length, isTruncated]).toEqual([20_000, true]);
});

test('S2-93 an answer of exactly 20,000 characters is kept', () => {
  const answer = 'x'.repeat(20_000);
  expect(truncateResponse(answer)).toEqual({ text: answer, isTruncated: false });
});

test('S2-93 the cut never leaves half a character', () => {
  expect(truncateResponse('ab😀cd', 3)).toEqual({ text: 'ab', isTruncated: true });
  expect(truncateResponse('ab😀cd', 4)).toEqual({ text: 'ab😀', isTruncated: true });
});

test('NUL and lone surrogates become U+FFFD, in keys and inside lists too', () => {
  expect(sanitizeForStorage({ 'a\0': ['\ud800', { b: 'x\udc00' }] })).toEqual({
    value: { 'a\uFFFD': ['\uFFFD', { b: 'x\uFFFD' }] },
    replaced: true,
  });
});

test('pairs survive, and so do the six characters \\u0000 as text', () => {
  const value = { text: '😀 \\u0000', number: 1, nothing: null };
  expect(sanitizeForStorage(value)).toEqual({ value, replaced: false });
});

test('__proto__ stays a key', () => {
  const value: unknown = JSON.parse('{"__proto__": "a\\u0000"}');
  expect(JSON.stringify(sanitizeForStorage(value).value)).toBe('{"__proto__":"a\uFFFD"}');
});
