import { expect, test } from 'vitest';
import { describeChange } from './describe-change.ts';

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
