import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!word|-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const words = rows.flatMap(([, word = '']) => word.split(', '));
const sources = globSync('*/src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));

test('the glossary is short enough to be read, and no word stands in it twice', () => {
  expect(words.length).toBeGreaterThan(40);
  expect(words.length).toBeLessThanOrEqual(50);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});

test('each word is used in the code', () => {
  const spelled = (word: string) => new RegExp(word.replace(' ', '[ _-]?'), 'i');
  expect(words.filter((word) => !sources.some((text) => spelled(word).test(text)))).toEqual([]);
});

test('each table that the glossary names is one', () => {
  const tables = new Set(sources.flatMap((text) => [...text.matchAll(/tableName: '(\w+)'/g)].map(([, name]) => name)));
  const named = rows.flatMap(([, , , stored = '']) => [...stored.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.filter((name) => !tables.has(name))).toEqual([]);
});
