import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOf } from './lines-of.ts';

const read = async (chunks: (string | Buffer)[], largest = 100): Promise<string[]> =>
  await Array.fromAsync(
    linesOf(
      Readable.from(
        chunks.map((chunk) => Buffer.from(chunk)),
        { objectMode: false },
      ),
      largest,
    ),
  );

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
  const endless = Readable.from(
    (function* () {
      for (;;) {
        written += 10;
        yield Buffer.from('x'.repeat(10));
      }
    })(),
    { objectMode: false, highWaterMark: 1 },
  );
  await expect(linesOf(endless, 100).next()).rejects.toThrow('response too large');
  expect(written).toBeLessThan(200);
  expect(await read(Array.from({ length: 50 }, () => `${'x'.repeat(90)}\n`))).toHaveLength(50);
});
