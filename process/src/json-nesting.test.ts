import { expect, test } from 'vitest';
import { nestsAtMost } from './json-nesting.ts';

test('brackets nest as deep as the limit and not one deeper', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(nestsAtMost(64, nested(64))).toBe(true);
  expect(nestsAtMost(64, nested(65))).toBe(false);
});

test('brackets that follow each other do not nest', () => {
  expect(nestsAtMost(2, JSON.stringify(Array.from({ length: 100 }, () => ({}))))).toBe(true);
});

test('brackets and escaped quotes inside strings do not count', () => {
  expect(nestsAtMost(1, JSON.stringify({ text: '"[[[{{{\\' }))).toBe(true);
});
