import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOf } from './lines-of.ts';

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

const bound = { largest: 100, refusal: () => new Error('response too large') };
const bytes = (chunks: Iterable<string | Buffer>, highWaterMark = 16_384) =>
  Readable.from(chunks, { objectMode: false, highWaterMark }).setEncoding('utf8');
const read = async (chunks: (string | Buffer)[]): Promise<string[]> =>
  await Array.fromAsync(linesOf(bytes(chunks.map((chunk) => Buffer.from(chunk))), bound));

test('pieces become lines, whatever they are cut into', async () => {
  expect(await Array.fromAsync(linesOf(pieces('a\nb', 'c', '\r\n\nd', '\n')))).toEqual(['a', 'bc', '', 'd']);
  expect(await Array.fromAsync(linesOf(pieces('a\r', '\nhalf')))).toEqual(['a', 'half']);
  expect(await Array.fromAsync(linesOf(pieces()))).toEqual([]);
});

test('only a line feed ends a line: the other separators of Unicode stand raw in JSON', async () => {
  const line = JSON.stringify({ answer: 'one\u2028two\u2029three\u0085four\vfive' });
  expect(await Array.fromAsync(linesOf(pieces(`${line}\n${line}`)))).toEqual([line, line]);
});

test('lines are whole wherever the output is cut, and the last one needs no end', async () => {
  const text = '{"a":"grün 😀"}\r\n\nlast';
  const lines = ['{"a":"grün 😀"}', '', 'last'];
  expect(await read([text])).toEqual(lines);
  expect(await read(Array.from(Buffer.from(text), (byte) => Buffer.of(byte)))).toEqual(lines);
  expect(await read(['one\n'])).toEqual(['one']);
  expect(await read([])).toEqual([]);
});

test('a line that is too long is refused while it is read, many short ones are not', async () => {
  let written = 0;
  const endless = bytes(
    (function* () {
      for (;;) {
        written += 10;
        yield Buffer.from('x'.repeat(10));
      }
    })(),
    1,
  );
  await expect(linesOf(endless, bound).next()).rejects.toThrow('response too large');
  expect(written).toBeLessThan(200);
  expect(await read(Array.from({ length: 50 }, () => `${'x'.repeat(90)}\n`))).toHaveLength(50);
});
