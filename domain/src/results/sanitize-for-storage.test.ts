import { expect, test } from 'vitest';
import { sanitizeForStorage } from './sanitize-for-storage.ts';

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
