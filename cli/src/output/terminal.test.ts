import { expect, test } from 'vitest';
import { wrapLine } from './terminal.ts';

test('a long line is broken between words and keeps its indent', () => {
  expect(wrapLine('  said: one two three four', { width: 14, hanging: '    ' })).toEqual([
    '  said: one',
    '    two three',
    '    four',
  ]);
});

test('a word that is longer than the line stands alone, and a line that fits stays', () => {
  expect(wrapLine('a bbbbbbbbbbbb c', { width: 5 })).toEqual(['a', 'bbbbbbbbbbbb', 'c']);
  expect(wrapLine('  short', { width: 10 })).toEqual(['  short']);
});

test('where nobody watches a line stays whole', () => {
  expect(wrapLine('x '.repeat(200), { width: null })).toHaveLength(1);
});
