import { expect, test } from 'vitest';
import { readSource } from './source.ts';

test.each([
  ['an alias of nothing', 'a: *b\n', 'Unresolved alias'],
  [
    'a bomb of aliases',
    'a: &a [x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]\n',
    'its aliases repeat too much',
  ],
  ['two documents', 'a: 1\n---\na: 2\n', 'it holds several documents, parted by ---: give each a file of its own'],
  ['broken YAML', 'a: [1\n', 'Flow sequence'],
  ['lists without an end', `a: ${'['.repeat(100_000)}`, 'Maximum call stack size exceeded'],
])('%s is told, and nothing is thrown', (_what, text, message) => {
  expect(readSource('a.yaml', text)).toEqual({
    ...{ ok: false, message: expect.stringMatching(new RegExp(`^a\\.yaml: ${message}`)) },
  });
});

test('the line of a path is that of its nearest part that is there', () => {
  const read = readSource('a.yaml', 'a:\n  - b: 1\n  - c: 2\n');
  expect(
    read.ok && [read.source.lineOf(['a', 1, 'c']), read.source.lineOf(['a', 1, 'x']), read.source.lineOf(['z'])],
  ).toEqual([3, 3, 1]);
});
