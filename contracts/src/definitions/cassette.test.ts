import { expect, test } from 'vitest';
import { type CassetteEntry, cassetteLine, MAX_CASSETTE_CHARACTERS, parseCassette } from './cassette.ts';

const entry = (digit: string): CassetteEntry => ({
  key: digit.repeat(64),
  tool: 'search',
  args: { q: 'lamp', __proto__: null },
  result: [{ id: 1 }, null, 'text'],
});

test('what is written line by line is read again, empty lines and line ends of Windows aside', () => {
  const text = `${cassetteLine(entry('a'))}\r\n\n${cassetteLine(entry('b'))}\n`;
  expect(parseCassette(text)).toEqual({ ok: true, entries: [entry('a'), entry('b')] });
  expect(parseCassette('')).toEqual({ ok: true, entries: [] });
});

test.each([
  ['no JSON', '{"key": ', 'is not JSON'],
  ['brackets without end', '['.repeat(100_000), 'is not JSON'],
  [
    'a key that is no digest',
    cassetteLine({ ...entry('a'), key: 'x' }),
    'is no recorded answer: key must be a SHA-256',
  ],
  ['an answer without a tool', '{"key": "a"}', 'is no recorded answer: key must be'],
  ['an unknown field', JSON.stringify({ ...entry('c'), more: 1 }), 'is no recorded answer: Unrecognized key'],
  ['a key for the second time', cassetteLine(entry('b')), 'repeats the key of an earlier line'],
])('%s is refused with its line', (_, line, message) => {
  const parsed = parseCassette(`${cassetteLine(entry('b'))}\n${line}\n`);
  expect(parsed).toEqual({ ok: false, line: 2, message: expect.stringContaining(message) });
});

test('a cassette that is too large to go along with every test run is refused as a whole', () => {
  const parsed = parseCassette(' '.repeat(MAX_CASSETTE_CHARACTERS + 1));
  expect(parsed).toMatchObject({ ok: false, line: 0 });
});
