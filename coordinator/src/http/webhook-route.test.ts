import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureReader } from '../webhooks/receive-webhook.ts';
import { type HttpServer, serve } from './serve.ts';
import { webhookRoute } from './webhook-route.ts';

const secret = 'the-secret-of-the-app';
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
    routes: { '/': webhookRoute({ signature: signatureReader([secret]), receive }) },
  });
});
afterAll(async () => await server?.[Symbol.asyncDispose]());

const sign = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function deliver(body: string, signature: string | null): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
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
