import { expect, test } from 'vitest';
import { isTooDeep } from './json-depth.ts';

const nested = (depth: number, within = '1'): string => `${'['.repeat(depth)}${within}${']'.repeat(depth)}`;

test('64 levels are read, 65 are not, however the brackets are mixed (M10)', () => {
  expect(isTooDeep(nested(64))).toBe(false);
  expect(isTooDeep(nested(65))).toBe(true);
  expect(isTooDeep(`${'{"a":['.repeat(32)}1${']}'.repeat(32)}`)).toBe(false);
  expect(isTooDeep(`${'{"a":['.repeat(33)}1${']}'.repeat(33)}`)).toBe(true);
});

test('brackets in texts do not nest, and neither do many beside each other', () => {
  expect(isTooDeep(JSON.stringify({ text: '['.repeat(1_000), quoted: '\\"[[' }))).toBe(false);
  expect(isTooDeep(JSON.stringify(Array.from({ length: 1_000 }, () => [{}])))).toBe(false);
  expect(isTooDeep(nested(64, JSON.stringify('['.repeat(1_000))))).toBe(false);
});

test('a text that nobody could parse is judged, too, and in time that grows with its length alone', () => {
  expect(isTooDeep('['.repeat(65))).toBe(true);
  expect(isTooDeep(`"${'['.repeat(1_000)}`)).toBe(false);
  expect(isTooDeep('\\"'.repeat(4_000_000))).toBe(false);
});
