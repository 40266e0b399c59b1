import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

const composed = '\u00e9';
const decomposed = 'e\u0301';

test('one text per value: keys in the order of their code units, absent ones left out', () => {
  expect(canonicalJson({ b: 1, a: [true, null, 'x'], 'a b': {}, gone: undefined, Z: -0.5 })).toBe(
    '{"Z":-0.5,"a":[true,null,"x"],"a b":{},"b":1}',
  );
  expect(canonicalJson({ 10: 'ten', 9: 'nine', _: 0 })).toBe('{"10":"ten","9":"nine","_":0}');
});

test('few keys and many are in one order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme-ascii' }), { maxLength: 40 }), (keys) => {
      const inOrder = keys.toSorted().map((key) => `${JSON.stringify(key)}:0`);
      expect(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))).toBe(`{${inOrder.join(',')}}`);
    }),
  );
});

test.each([
  ['short', ''],
  ['long', 'x'.repeat(200)],
])('a %s text is what JSON makes of it in NFC', (_, rest) => {
  for (const text of ['plain', 'a "quote"', 'a\\b', 'line\nend', '\u007f', '\u2028', '😀', '\ud800', decomposed])
    expect(canonicalJson(text + rest)).toBe(JSON.stringify((text + rest).normalize('NFC')));
});

test('a key that is written in two ways has one place and one text', () => {
  expect(canonicalJson({ [decomposed]: 1, f: 2 })).toBe(`{"f":2,"${composed}":1}`);
  expect(canonicalJson({ [decomposed]: 1, f: 2 })).toBe(canonicalJson({ f: 2, [composed]: 1 }));
});

test('what JSON cannot hold is refused, so that no hash is made of it', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n, { a: [undefined] }])
    expect(() => canonicalJson(value)).toThrow('has no canonical JSON');
});

test('each value is made once, however deep it lies beside keys of other letters', () => {
  let read = 0;
  let value: object = {
    get a() {
      read += 1;
      return 1;
    },
  };
  for (let depth = 0; depth < 40; depth += 1) value = { a: value, 'b-c': depth };
  canonicalJson(value);
  expect(read).toBe(1);
});
