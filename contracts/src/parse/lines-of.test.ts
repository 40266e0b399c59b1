import { expect, test } from 'vitest';
import { linesOf } from './lines-of.ts';

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

test('pieces become lines, whatever they are cut into', async () => {
  expect(await Array.fromAsync(linesOf(pieces('a\nb', 'c', '\r\n\nd', '\n')))).toEqual(['a', 'bc', '', 'd']);
  expect(await Array.fromAsync(linesOf(pieces('a\r', '\nhalf')))).toEqual(['a', 'half']);
  expect(await Array.fromAsync(linesOf(pieces()))).toEqual([]);
});

test('only a line feed ends a line: the other separators of Unicode stand raw in JSON', async () => {
  const line = JSON.stringify({ answer: 'one\u2028two\u2029three\u0085four\vfive' });
  expect(await Array.fromAsync(linesOf(pieces(`${line}\n${line}`)))).toEqual([line, line]);
});
