import { expect, test } from 'vitest';
import { RefusedAnswer } from './refused-answer.ts';
import { EventSplitter, type StreamEvent } from './split-events.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

function split(...chunks: Uint8Array[]): StreamEvent[] {
  const splitter = new EventSplitter();
  const events = chunks.flatMap((chunk) => {
    const taken = splitter.take(chunk);
    if (taken instanceof RefusedAnswer) throw taken;
    return taken;
  });
  return [...events, ...[splitter.rest() ?? []].flat()];
}
const plain = (...data: string[]): StreamEvent[] => data.map((one) => ({ type: null, data: one }));

const stream =
  '\uFEFF: keep-alive\n\ndata: {"a":"grün 😀"}\r\n\r\nevent: error\rdata:one\rdata: two\r\r:\n\ndata: [DONE]\n\n';
const events = [...plain('{"a":"grün 😀"}'), { type: 'error', data: 'one\ntwo' }, ...plain('[DONE]')];

test('a stream is the same events wherever it is cut, in the middle of a character and of CRLF too (M5)', () => {
  const whole = bytes(stream);
  for (let cut = 0; cut <= whole.length; cut += 1) {
    expect(split(whole.subarray(0, cut), whole.subarray(cut)), `cut at ${cut}`).toEqual(events);
  }
  expect(split(...Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(events);
});

test.each([
  ['no space after the colon', 'data:x\n\n', plain('x')],
  ['only the first space is no data', 'data:  x\n\n', plain(' x')],
  ['a field without a colon', 'data\n\n', plain('')],
  ['comments and unknown fields alone', ':a\n\nid: 7\n\nretry: 10\n\n', []],
  ['a last event without its blank line', 'data: x\n', plain('x')],
  ['a last line without its end', 'data: x', plain('x')],
  ['nothing', '', []],
])('%s', (_, text, expected) => {
  expect(split(bytes(text))).toEqual(expected);
});

test('an event of more than 1 MB is refused, however many lines and chunks it has; a megabyte of comments is not (M3)', () => {
  const large = 'x'.repeat(1024 * 1024);
  expect(() => split(bytes(`data: ${large}\n\n`))).toThrow('response too large: an event of more than 1 MB');
  const line = bytes(`data: ${'x'.repeat(1024)}\n`);
  expect(() => split(...Array.from({ length: 1100 }, () => line))).toThrow('too large');
  const comment = bytes(`: ${'x'.repeat(1024)}\n`);
  expect(split(...Array.from({ length: 1100 }, () => comment), bytes('data: x\n\n'))).toEqual(plain('x'));
  expect(split(...Array.from({ length: 1100 }, () => bytes(`data: ${'x'.repeat(1000)}\n\n`)))).toHaveLength(1100);
});

test('a line that comes byte by byte takes time in proportion to its length', () => {
  const splitter = new EventSplitter();
  const byte = bytes('x');
  splitter.take(bytes('data: '));
  for (let count = 0; count < 500_000; count += 1) splitter.take(byte);
  expect(splitter.rest()?.data).toHaveLength(500_000);
});
