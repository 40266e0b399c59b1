import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemList } from './finding.ts';
import { pathsOf } from './paths-of.fixture.ts';
import { readJson } from './read-json.ts';
import { parseSource } from './source-document.ts';

/** The same text as JSON and as YAML, which is read piece by piece. */
function readBoth(text: string) {
  const read = (path: string) => parseSource(path, text, problemList());
  return { json: read('a.json'), yaml: read('a.yaml') };
}

const object = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });

test('a JSON file is the same data as the YAML that it is too, and each of its paths has the same place', () => {
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2, ' '), (value, indent) => {
      const { json, yaml } = readBoth(JSON.stringify(value, undefined, indent));
      fc.pre(yaml !== undefined);
      expect(json?.value).toEqual(yaml?.value);
      for (const path of pathsOf(value)) {
        for (const at of ['key', 'value'] as const) {
          expect({ path, at, ...json?.place({ path, at }) }).toEqual({
            ...{ path, at },
            ...yaml?.place({ path, at }),
          });
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('ordinary JSON is read at once, escapes and other spellings of keys included', () => {
  const text = String.raw`{ "minPassRate" : [1.5, -2e3, true, null, {}], "a\"b\\": "c\/\t\\\"d" }`;
  const read = readJson(text);
  expect(read?.value).toEqual({ minPassRate: [1.5, -2000, true, null, {}], 'a"b\\': 'c/\t\\"d' });
  expect(read?.placeOfPath(['min_pass_rate', 4], 'value')).toBe(text.indexOf('{}'));
  expect(read?.placeOfPath(['a"b\\'], 'value')).toBe(text.indexOf(String.raw`"c\/`));
});

test.each([
  ['a key twice', '{"a": 1, "b": {"c": 1, "c": 2}}'],
  ['a key twice, in two spellings', String.raw`{"a": 1, "\u0061": 2}`],
  ['a number that no double holds', '{"a": 9007199254740993}'],
  ['a number without an end', '{"a": 1e999}'],
  ['half a surrogate pair', String.raw`{"a": "\ud800"}`],
  ['no object', '[1]'],
  ['no JSON', '{"a": 1,}'],
  ['very deep', `{"a": ${'['.repeat(40)}${']'.repeat(40)}}`],
])('what is unusual is left to the careful reader: %s', (_, text) => {
  expect(readJson(text)).toBeUndefined();
});
