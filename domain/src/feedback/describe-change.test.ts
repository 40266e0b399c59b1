import { expect, test } from 'vitest';
import { describeChange, hunksOf } from './describe-change.ts';

const text = (...lines: string[]): string => `${lines.join('\n')}\n`;
const change = (base: string | null, head: string | null) => describeChange({ path: 'agent.yaml', base, head });

test('lines that differ are told with a line around them', () => {
  const base = text('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
  const head = text('a', 'B', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');
  const { hunks, ...counts } = change(base, head);
  expect(hunks?.split('\n')).toEqual(['  a', '- b', '+ B', '  c', '…', '  j', '+ k']);
  expect(counts).toEqual({ path: 'agent.yaml', added: 2, removed: 1 });
});

test('a file that is new or gone has lines of one kind', () => {
  expect(change(null, text('a', 'b'))).toEqual({ path: 'agent.yaml', hunks: '+ a\n+ b', added: 2, removed: 0 });
  expect(change(text('a'), null)).toEqual({ path: 'agent.yaml', hunks: '- a', added: 0, removed: 1 });
  expect(change(text('a'), text('a'))).toEqual({ path: 'agent.yaml', hunks: null, added: 0, removed: 0 });
});

test('more than anybody reads is counted, in a moment', () => {
  const many = (letter: string) => text(...Array.from({ length: 20_000 }, (_, at) => `${letter}${at}`));
  expect(change(many('a'), many('b'))).toEqual({ path: 'agent.yaml', hunks: null, added: 20_000, removed: 20_000 });
});

test('a change as data has hunks with the numbers of their lines on both sides', () => {
  const numbers = Array.from({ length: 20 }, (_, at) => `${at + 1}`);
  const head = numbers.flatMap((line) => (line === '2' ? ['2', 'two'] : line === '18' ? [] : [line]));
  const { hunks, added, removed } = hunksOf({ path: 'agent.yaml', base: numbers.join('\n'), head: head.join('\n') });
  expect({ added, removed }).toEqual({ added: 1, removed: 1 });
  expect(hunks).toEqual([
    { baseLine: 1, headLine: 1, lines: [' 1', ' 2', '+two', ' 3', ' 4', ' 5'] },
    { baseLine: 15, headLine: 16, lines: [' 15', ' 16', ' 17', '-18', ' 19', ' 20'] },
  ]);
  expect(hunksOf({ path: 'x', base: null, head: 'a' }).hunks).toEqual([{ baseLine: 1, headLine: 1, lines: ['+a'] }]);
  const many = (letter: string) => Array.from({ length: 1_001 }, (_, at) => `${letter}${at}`).join('\n');
  expect(hunksOf({ path: 'x', base: many('a'), head: many('b') })).toMatchObject({ hunks: null, added: 1_001 });
});

test('two beginnings that are alike say nothing of what differs behind them', () => {
  expect(hunksOf({ path: 'x', base: 'a', head: 'a' })).toEqual({ path: 'x', hunks: null, added: 0, removed: 0 });
  expect(hunksOf({ path: 'x', base: null, head: '' }).hunks).toEqual([]);
});
