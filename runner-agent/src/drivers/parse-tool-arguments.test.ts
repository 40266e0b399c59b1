import { expect, test } from 'vitest';
import { parseArguments } from './parse-tool-arguments.ts';

test('arguments are one JSON object; no text at all is an empty one (M8)', () => {
  expect(parseArguments('{"day":"monday","deep":{"a":[1,null]}}')).toEqual({
    args: { day: 'monday', deep: { a: [1, null] } },
    argsError: null,
  });
  expect(parseArguments('')).toEqual({ args: {}, argsError: null });
  expect(parseArguments(' \n')).toEqual({ args: {}, argsError: null });
});

test('`__proto__` stays a key of its own and changes no object (M8)', () => {
  const { args, argsError } = parseArguments('{"__proto__":{"isAdmin":true},"constructor":1}');
  expect(argsError).toBeNull();
  expect(JSON.stringify(args)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
});

test.each([
  ['half of them', '{"a":', 'The arguments are not JSON'],
  ['two of them', '{}{}', 'The arguments are not JSON'],
  ['a list', '[1]', 'The arguments are not a JSON object'],
  ['a text', '"x"', 'The arguments are not a JSON object'],
  ['null', 'null', 'The arguments are not a JSON object'],
])('%s cannot be used, and are kept as they came (M8)', (_, text, argsError) => {
  expect(parseArguments(text)).toEqual({ args: text, argsError });
});

test('64 KB are taken, more are not kept, and neither is what nests deeper than 64 (M8, M10)', () => {
  const ofLength = (length: number) => JSON.stringify({ a: 'x'.repeat(length - '{"a":""}'.length) });
  expect(parseArguments(ofLength(64 * 1024))).toMatchObject({ argsError: null });
  expect(parseArguments(ofLength(64 * 1024 + 1))).toEqual({
    args: null,
    argsError: 'The arguments are longer than 64 KB',
  });
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(parseArguments(nested(64))).toMatchObject({ argsError: null });
  expect(parseArguments(nested(65))).toEqual({ args: null, argsError: 'The arguments are nested too deeply' });
});
