import { expect, test } from 'vitest';
import type { KeyRing } from './key-ring.ts';
import { createModelClient } from './model-client.ts';
import { replyText, replyWith, startModelDouble } from './model-double.fixture.ts';

const model = { configuration: 'main', provider: 'openai', model: 'gpt-test' };
const question = { messages: [{ role: 'user' as const, content: 'When do you open?' }] };

function clientFor(baseUrl: string, key?: string) {
  const keys: KeyRing = {
    values: new Map([['OPENAI_API_KEY', key]]),
    origins: new Map([['OPENAI_API_KEY', [new URL(baseUrl).origin]]]),
    defaultBaseUrl: baseUrl,
    allowedOrigins: new Set(),
    allowsLoopback: false,
  };
  return createModelClient({ keys, now: () => new Date() });
}

test('a provider is told what it needs and nothing about this machine', async () => {
  await using server = await startModelDouble(replyText('From 9 to 17'));
  await using models = clientFor(server.baseUrl, 'sk-test-0123456789abcdefghij');

  await models.chat(model, question, new AbortController().signal);

  const { host, connection, 'content-length': length, ...told } = server.seen[0]?.headers ?? {};
  expect({ host, connection, length }).toMatchObject({ length: expect.any(String) });
  expect(told).toEqual({
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: 'Bearer sk-test-0123456789abcdefghij',
    'content-type': 'application/json',
    'user-agent': 'proofmark',
  });
});

test('without a key no word stands in for one', async () => {
  await using server = await startModelDouble(replyText('From 9 to 17'));
  await using models = clientFor(server.baseUrl);
  const answered = await models.chat(model, question, new AbortController().signal);
  expect(answered.ok).toBe(true);
  expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
});

test('an aborted call rejects with the reason, and its connection is closed', async () => {
  const left = Promise.withResolvers<void>();
  const stop = new AbortController();
  await using server = await startModelDouble((answer) => {
    answer.on('close', left.resolve);
    stop.abort(new Error('cancelled'));
  });
  await using models = clientFor(server.baseUrl);
  await expect(models.chat(model, question, stop.signal)).rejects.toThrow('cancelled');
  await left.promise;
});

test('a call that is aborted in the middle of the answer rejects, too', async () => {
  const stop = new AbortController();
  const left = Promise.withResolvers<void>();
  await using server = await startModelDouble((answer) => {
    answer.on('close', left.resolve);
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.write('{"choices":', () => stop.abort(new Error('cancelled')));
  });
  await using models = clientFor(server.baseUrl);
  await expect(models.chat(model, question, stop.signal)).rejects.toThrow('cancelled');
  await left.promise;
});

test('a call that is aborted before it begins sends nothing', async () => {
  await using server = await startModelDouble(replyText('From 9 to 17'));
  await using models = clientFor(server.baseUrl);
  await expect(models.chat(model, question, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
  expect(server.seen).toEqual([]);
});

test('embeddings come over the same way', async () => {
  const vector = Buffer.from(new Float32Array([1, 2]).buffer).toString('base64');
  await using server = await startModelDouble(replyWith({ data: [{ index: 0, embedding: vector }] }));
  await using models = clientFor(server.baseUrl);
  const answered = await models.embed(model, ['a text'], new AbortController().signal);
  expect(answered).toMatchObject({ ok: true, value: { vectors: [[1, 2]] } });
  expect(server.seen[0]).toMatchObject({
    path: '/v1/embeddings',
    body: { input: ['a text'], encoding_format: 'base64' },
  });
});
