import { describe, expect, test } from 'vitest';
import {
  asEvent,
  chunk,
  done,
  replyEvents,
  replyText,
  replyWith,
  startModelDouble,
  usageChunk,
} from '../models/model-double.fixture.ts';
import { runAgainst, runStreamed, secret } from './openai-story.fixture.ts';

const text = chunk({ content: 'From 9 to 17' });
const end = chunk({}, 'stop');

describe('faults of a stream', () => {
  const large = (count: number, size: number) =>
    Array.from({ length: count }, () => chunk({ content: 'x'.repeat(size) }));
  test.each([
    ['an end in the middle of the answer', [text], 3, /ended in the middle of the answer/],
    ['nothing at all', [], 3, /ended in the middle of the answer/],
    ['half an event', [text, 'data: {"choices":[{"del'], 3, /ended in the middle of the answer/],
    [
      'an error in the middle',
      [text, { error: { message: 'overloaded' } }],
      3,
      /broke the answer off with an error: overloaded/,
    ],
    [
      'an error in place of the first chunk',
      [{ error: { message: 'try later', code: 'server_error' } }],
      3,
      /try later/,
    ],
    ['an event named error', [text, 'event: error\ndata: out of memory\n\n'], 3, /out of memory/],
    ['an error with a status that may pass', [{ error: { message: 'busy', code: 529 } }], 3, /busy/],
    ['an error with a status that stays', [{ error: { message: 'wrong', code: 400 } }, text, end, done], 1, /wrong/],
    ['an error that ends without its blank line', [text, 'data: {"error":"no money left"}'], 3, /no money left/],
    ['a used-up quota', [text, { error: { message: 'no money', code: 'insufficient_quota' } }], 1, /no money/],
    ['[DONE] without a finish_reason', [text, done], 1, /no finish_reason/],
    ['no choice', [usageChunk(), done], 1, /unexpected shape \(choices/],
    ['HTML that claims to be a stream', ['data: <html></html>\n\n', text, end, done], 1, /an event that is not JSON/],
    ['a number as content', [chunk({ content: 5 }), end, done], 1, /unexpected shape \(choices\.0\.delta\.content/],
    ['a list as an event', ['data: [1]\n\n', done], 1, /unexpected shape \(root/],
    ['a call without a place', [chunk({ tool_calls: [{ index: -1 }] }), done], 1, /unexpected shape/],
    ['deeply nested JSON', [`data: ${'['.repeat(100)}\n\n`], 1, /nested too deeply/],
  ])('%s is an error of the agent', async (_, events, tries, message) => {
    await using server = await startModelDouble(replyEvents(...events));
    const outcome = await runStreamed(server);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', response: null, retryCount: tries - 1 });
    expect(outcome.errorMessage).toMatch(message);
    expect(server.seen).toHaveLength(tries);
    expect(outcome.pauses).toEqual([100, 200].slice(0, tries - 1));
  });

  test.each([
    ['in one event', large(1, 20 * 1024 * 1024), /an event of more than 1 MB/],
    ['in many events', large(20 * 64, 16 * 1024), /more than 8 MB/],
    ['in comments', [`${': x\n\n'.repeat(2 * 1024 * 1024)}`], /more than 8 MB/],
  ])('20 MB %s are refused as too large, without a retry (M3)', async (_, events, message) => {
    await using server = await startModelDouble(replyEvents(...events, end, done));
    const outcome = await runStreamed(server, { limits: { agentTimeoutMs: 5_000 } });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'limit', retryCount: 0 });
    expect(outcome.errorMessage).toMatch(message);
  });

  test.each([
    ['429', replyWith({ error: { message: 'no' } }, { status: 429 }), 3, /no/],
    ['a redirect', replyWith('', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }), 1, /redirects/],
    [
      'a gzip body',
      replyWith('x', { headers: { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' } }),
      1,
      /compressed/,
    ],
    [
      'HTML',
      replyWith('<html></html>', { headers: { 'content-type': 'text/html' } }),
      1,
      /text\/html instead of a stream/,
    ],
    ['JSON with an error', replyWith({ error: { message: 'overloaded' } }), 1, /answered with an error: overloaded/],
    ['JSON with an answer', replyText('From 9 to 17'), 1, /in one piece.*leave stream out/],
  ])('%s in place of a stream is an error of the agent', async (_, reply, tries, message) => {
    await using server = await startModelDouble(reply);
    const outcome = await runStreamed(server);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', retryCount: tries - 1 });
    expect(outcome.errorMessage).toMatch(message);
  });

  test('a stream in place of JSON is an error of the agent', async () => {
    await using server = await startModelDouble(replyEvents(text, end, done));
    const outcome = await runAgainst(server);
    expect(outcome.errorMessage).toMatch(/text\/event-stream; charset=utf-8 instead of JSON/);
  });

  test('a connection that is cut in the middle of a stream is tried again, and its half answer forgotten', async () => {
    await using server = await startModelDouble(
      (answer) => {
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        answer.write(asEvent(chunk({ content: 'We are closed' })), () => answer.destroy());
      },
      replyEvents(text, end, usageChunk(), done),
    );
    expect(await runStreamed(server)).toMatchObject({
      ...{ status: 'passed', response: 'From 9 to 17', retryCount: 1 },
      usage: { promptTokens: 12, completionTokens: 5 },
    });
  });

  test('a stream that stops in the middle is a timeout after three tries (S3-65)', async () => {
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write(asEvent(text));
    });
    const outcome = await runStreamed(server, { limits: { agentTimeoutMs: 40 } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'timeout',
      errorMessage: 'Failed after 3 attempts: Timeout after 40ms',
    });
  });

  test('a stream of nothing but keep-alives ends with the try', async () => {
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      const alive = setInterval(() => answer.write(': keep-alive\n\n'), 5);
      answer.on('close', () => clearInterval(alive));
    });
    expect(await runStreamed(server, { limits: { agentTimeoutMs: 40 } })).toMatchObject({
      status: 'error',
      errorKind: 'timeout',
    });
  });

  test('a key that comes in two pieces is masked, in answers, arguments and errors', async () => {
    const [first, second] = [secret.slice(0, 10), secret.slice(10)];
    await using leaking = await startModelDouble(
      replyEvents(chunk({ content: `My key is ${first}` }), chunk({ content: second }), end, done),
    );
    await using failing = await startModelDouble(
      replyEvents({ error: { message: `Incorrect API key: ${secret}`, code: 401 } }),
    );
    const [leaked, failed] = [await runStreamed(leaking), await runStreamed(failing)];
    expect(leaked.response).toBe('My key is [masked]');
    expect(JSON.stringify([leaked, failed])).not.toContain(secret);
    expect(failed).toMatchObject({ status: 'error', errorKind: 'agent', retryCount: 0 });
  });

  test('NUL and lone surrogates are replaced, and a pair that comes in two chunks is whole', async () => {
    const escaped = (json: string) => `data: {"choices":[{"delta":{"content":"${json}"}}]}\n\n`;
    await using paired = await startModelDouble(replyEvents(escaped('Hi \\ud83d'), escaped('\\ude00'), end, done));
    await using lone = await startModelDouble(replyEvents(escaped('a\\u0000b'), escaped('\\ud83d'), end, done));
    expect(await runStreamed(paired)).toMatchObject({ status: 'passed', response: 'Hi 😀', flags: [] });
    expect(await runStreamed(lone)).toMatchObject({
      status: 'passed',
      response: 'a\uFFFDb\uFFFD',
      flags: ['text_replaced'],
    });
  });
});
