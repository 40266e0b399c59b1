import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureReader } from '../webhooks/receive-webhook.ts';
import { type HttpServer, serve } from './serve.ts';
import { webhookRoute } from './webhook-route.ts';

const secret = 'the-secret-of-the-app';
const servers = [
  { host: 'github.com', signature: signatureReader([secret]) },
  { host: 'github.example.com', signature: signatureReader(['the-secret-of-the-other-app']) },
] as const;
const received: unknown[] = [];
let server: HttpServer;

beforeAll(async () => {
  const receive = async (webhook: unknown) => void received.push(webhook);
  server = await serve({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => {
      throw error;
    },
    routes: { '/': webhookRoute({ servers, receive }) },
  });
});
afterAll(async () => await server?.[Symbol.asyncDispose]());

const sign = (body: string, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

async function deliver(body: string, signature: string | null, host?: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
      ...(host === undefined ? {} : { 'x-github-enterprise-host': host }),
    },
    body,
  });
  return response.status;
}

/** More than a webhook may have: whoever reads it finds that out. */
const tooLarge = JSON.stringify('x'.repeat(26 * 1024 * 1024));

test('W1 what has no signature is refused without being read, and what has one is read as far as it may be', async () => {
  expect(await deliver(tooLarge, null)).toBe(401);
  expect(await deliver(tooLarge, 'sha1=0123')).toBe(401);
  expect(await deliver(tooLarge, sign(tooLarge))).toBe(413);
  expect(received).toEqual([]);
});

test('a signature counts for the body that it was made for, to the byte', async () => {
  expect(await deliver('{"action":"closed"}', sign('{"action": "closed"}'))).toBe(401);
  expect(await deliver('{"action":"closed"}', sign('{"action":"closed"}'))).toBe(202);
  expect(received).toMatchObject([{ payload: { action: 'closed' } }]);
});

test('each server proves its own webhooks by its secret, whether or not a header names it', async () => {
  received.length = 0;
  const other = (body: string) => sign(body, 'the-secret-of-the-other-app');
  expect(await deliver('{"n":1}', sign('{"n":1}'))).toBe(202);
  expect(await deliver('{"n":2}', other('{"n":2}'), 'github.example.com')).toBe(202);
  expect(await deliver('{"n":3}', other('{"n":3}'))).toBe(202);
  expect(await deliver('{"n":4}', sign('{"n":4}'), 'github.example.com')).toBe(202);
  expect(await deliver('{"n":5}', sign('{"n":5}', 'the-secret-of-nobody'), 'github.example.com')).toBe(401);
  expect(received).toMatchObject([
    { host: 'github.com', payload: { n: 1 } },
    { host: 'github.example.com', payload: { n: 2 } },
    { host: 'github.example.com', payload: { n: 3 } },
    { host: 'github.com', payload: { n: 4 } },
  ]);
});
