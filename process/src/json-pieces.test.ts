import { expect, test } from 'vitest';
import { jsonPieces } from './json-pieces.ts';

const file = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

test.each([
  [null, 0, -1.5, 'text', true],
  { nothing: undefined, list: [undefined, { nothing: undefined }, [[]], {}], 'a "key"': 'a\n"b"\u2028' },
  [],
  'a text',
  {
    long: 'a\n'.repeat(5_000),
    list: Array.from({ length: 3_000 }, (_, id) => [id, { id, gone: undefined, empty: {} }]),
  },
])('pieces are what JSON.stringify writes: %j', (value) => {
  expect([...jsonPieces(value)].join('')).toBe(file(value));
});

test('a long list comes in pieces of bounded length', () => {
  const pieces = [...jsonPieces(Array.from({ length: 20_000 }, (_, index) => ({ name: `case ${index}` })))];
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
});
