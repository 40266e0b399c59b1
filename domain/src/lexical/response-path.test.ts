import { expect, test } from 'vitest';
import { readResponsePath } from './response-path.ts';

const response = '{"items": [{"score": 0.5, "name": "A"}], "odd key": {"x": [1, 2]}, "__proto__": {"hidden": true}}';

test.each([
  ['items[0].score', '0.5'],
  ['$.items[0].name', 'A'],
  ['["odd key"].x[1]', '2'],
  ["$['odd key'].x[0]", '1'],
  ['odd key.x', '[1,2]'],
  ['__proto__.hidden', 'true'],
])('%s is %s', (path, text) => {
  expect(readResponsePath(response, path)).toEqual({ ok: true, text });
});

test.each([
  'items[1]',
  'items.length.x',
  'toString',
  'constructor',
  'items[0].score.x',
  'items[-1]',
  'a..b',
  'items[0]x',
])('there is nothing at %s', (path) => {
  expect(readResponsePath(response, path).ok).toBe(false);
});

test('a response that is not JSON has no parts', () => {
  expect(readResponsePath('score: 5', 'score')).toEqual({ ok: false, reason: 'the response is not JSON' });
});

test('what nests deeper than can be written is refused, not a crash', () => {
  const deep = `{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  expect(readResponsePath(deep, 'a').ok).toBe(false);
});
