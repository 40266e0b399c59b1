import { describe, expect, test } from 'vitest';
import { replyText, replyWith, startModelDouble } from '../models/model-double.fixture.ts';
import { runAgainst, secret } from './openai-story.fixture.ts';

describe('faults of the provider', () => {
  const shape = (choice: unknown) => replyWith({ model: 'm', choices: [choice] });
  const error = (status: number, code?: string, headers?: Record<string, string>) =>
    replyWith({ error: { message: 'no', code } }, { status, ...(headers ? { headers } : {}) });

  test.each([
    ['500', error(500), 3],
    ['529', error(529), 3],
    ['408', error(408), 3],
    ['429 without Retry-After', error(429), 3],
    ['429 of a used-up quota', error(429, 'insufficient_quota'), 1],
    ['400', error(400, 'context_length_exceeded'), 1],
    ['401', error(401), 1],
    ['200 with an error body', replyWith({ error: { message: 'no' } }), 1],
    ['HTML', replyWith('<html></html>', { headers: { 'content-type': 'text/html' } }), 1],
    ['HTML that claims to be JSON', replyWith('<html></html>'), 1],
    ['an empty body', replyWith(''), 1],
    ['no choices', replyWith({ choices: [] }), 1],
    ['null choices', replyWith({ choices: null }), 1],
    ['a number as content', shape({ finish_reason: 'stop', message: { content: 5 } }), 1],
    ['no content at all', shape({ finish_reason: 'stop', message: { content: null } }), 1],
    ['no finish_reason', shape({ message: { content: 'half an ans' } }), 1],
    ['an unknown finish_reason', shape({ finish_reason: 'tired', message: { content: 'x' } }), 1],
    ['a content filter', shape({ finish_reason: 'content_filter', message: { content: 'x' } }), 1],
    ['a redirect', replyWith('', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }), 1],
    ['a gzip body', replyWith('x', { headers: { 'content-encoding': 'gzip' } }), 1],
    ['deeply nested JSON', replyWith(`{"choices":${'['.repeat(100)}${']'.repeat(100)}}`), 1],
  ])('%s is an error of the agent (M2, M3, M4, M6)', async (_, reply, tries) => {
    await using server = await startModelDouble(reply);
    const outcome = await runAgainst(server);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', response: null, retryCount: tries - 1 });
    expect(outcome.errorMessage).toMatch(tries === 3 ? /^Failed after 3 attempts: / : /^(?!Failed after)./);
    expect(server.seen).toHaveLength(tries);
    expect(outcome.pauses).toEqual([100, 200].slice(0, tries - 1));
  });

  test('a connection cut in the middle of the answer is tried again', async () => {
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      answer.write('{"choices":');
      answer.destroy();
    }, replyText('From 9 to 17'));
    expect(await runAgainst(server)).toMatchObject({ status: 'passed', retryCount: 1 });
  });

  test('a server that never answers is a timeout after three tries (S3-65, S3-69)', async () => {
    await using server = await startModelDouble(() => undefined);
    const outcome = await runAgainst(server, { limits: { agentTimeoutMs: 20 } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'timeout',
      errorMessage: 'Failed after 3 attempts: Timeout after 20ms',
      retryCount: 2,
    });
  });

  test('an answer that drips for ever ends with the try (M1)', async () => {
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => answer.write(' '), 5);
      answer.on('close', () => clearInterval(drip));
    });
    const outcome = await runAgainst(server, { limits: { agentTimeoutMs: 40 } });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'timeout' });
  });

  test('an answer of 20 MB is refused as too large, without a retry (M3)', async () => {
    await using server = await startModelDouble(replyText('x'.repeat(20 * 1024 * 1024)));
    const outcome = await runAgainst(server, { limits: { agentTimeoutMs: 5_000 } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'limit',
      retryCount: 0,
      errorMessage: expect.stringContaining('too large'),
    });
  });

  test.each([
    ['2', 2_000],
    ['0.5', 500],
    ['-3', 100],
    ['soon', 100],
  ])('Retry-After: %s waits %i ms', async (value, waitMs) => {
    await using server = await startModelDouble(
      error(429, undefined, { 'retry-after': value }),
      replyText('From 9 to 17'),
    );
    const outcome = await runAgainst(server);
    expect(outcome).toMatchObject({ status: 'passed', retryCount: 1, pauses: [waitMs] });
  });

  test('Retry-After may be a date, and milliseconds win over it', async () => {
    const date = new Date(Date.now() + 40_000).toUTCString();
    await using dated = await startModelDouble(error(503, undefined, { 'retry-after': date }), replyText('From 9'));
    const { pauses } = await runAgainst(dated, { limits: { caseTimeoutMs: 60_000 } });
    expect(pauses).toHaveLength(1);
    expect(pauses[0]).toBeGreaterThan(20_000);
    expect(pauses[0]).toBeLessThanOrEqual(40_000);
    const both = { 'retry-after': '4', 'retry-after-ms': '350' };
    await using precise = await startModelDouble(error(429, undefined, both), replyText('From 9'));
    expect((await runAgainst(precise)).pauses).toEqual([350]);
  });

  test('a Retry-After behind the end of the test run is not waited for', async () => {
    await using server = await startModelDouble(error(429, undefined, { 'retry-after': '30' }));
    const outcome = await runAgainst(server, { limits: { caseTimeoutMs: 10_000 } });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', pauses: [] });
    expect(outcome.errorMessage).toMatch(/^The provider asks to wait 30 s/);
  });

  test('a Retry-After of a day is not waited for', async () => {
    await using server = await startModelDouble(error(429, undefined, { 'retry-after': '86400' }));
    const outcome = await runAgainst(server);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', pauses: [] });
    expect(outcome.errorMessage).toMatch(/^The provider asks to wait 86400 s/);
  });

  test('keys that the provider echoes are masked, in errors and in answers (M9)', async () => {
    await using refusing = await startModelDouble(
      replyWith({ error: { message: `Incorrect API key provided: ${secret}` } }, { status: 401 }),
    );
    await using leaking = await startModelDouble(replyText(`My key is ${secret}`));
    const refused = await runAgainst(refusing);
    const leaked = await runAgainst(leaking);
    expect(JSON.stringify([refused, leaked])).not.toContain(secret);
    expect(leaked.response).toBe('My key is [masked]');
  });

  test('an error is shown with its request and 500 characters, cut behind the mask and never with headers (M9)', async () => {
    const message = `${'x'.repeat(440)} ${secret} ${'y'.repeat(600)}`;
    await using server = await startModelDouble(
      replyWith({ error: { message } }, { status: 400, headers: { 'x-request-id': 'req_7', 'x-internal': 'rack-9' } }),
    );
    const { errorMessage } = await runAgainst(server);
    expect(errorMessage).toMatch(/^The provider at 127\.0\.0\.1:\d+ answered 400 x{440} \[masked\] y+$/);
    expect(errorMessage).toHaveLength(500);
    await using short = await startModelDouble(
      replyWith(
        { error: { message: 'no' } },
        { status: 400, headers: { 'x-request-id': 'req_7', 'x-internal': 'rack-9' } },
      ),
    );
    expect((await runAgainst(short)).errorMessage).toMatch(/ answered 400 no \(request req_7\)$/);
  });
});
