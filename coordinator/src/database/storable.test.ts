import { expect, it } from 'vitest';
import { storableJson, storableText } from './storable.ts';

it('replaces NUL and lone surrogates in texts and keys, and leaves the rest alone', () => {
  expect(storableText('a\0b\ud800c😀')).toBe('a\u{FFFD}b\u{FFFD}c😀');
  expect(JSON.parse(storableJson({ 'k\0': ['\udc00', 1, null, { deep: '\0' }], ok: '😀' }))).toEqual({
    'k\u{FFFD}': ['\u{FFFD}', 1, null, { deep: '\u{FFFD}' }],
    ok: '😀',
  });
});

it('does not mistake a written backslash for an escape', () => {
  const value = { text: '\\u0000 and \\ud800' };
  expect(JSON.parse(storableJson(value))).toEqual(value);
});
