import { Agent, buildConnector } from 'undici';
import { describe, expect, test } from 'vitest';
import { describeBrokenCall } from './describe-failure.ts';
import { lightFetch, streamType } from './light-fetch.ts';
import { replyWith, startModelDouble } from './model-double.fixture.ts';

function openConnections() {
  const dispatcher = new Agent();
  return { dispatcher, [Symbol.asyncDispose]: () => dispatcher.destroy() };
}

const ask = { method: 'POST', body: '{}' };

describe.each([
  ['an answer in one piece', 'application/json', {}],
  ['a stream', streamType, { accept: streamType }],
])('%s', (_, type, headers: Record<string, string>) => {
  test('that falls silent is a broken connection, which is worth another try (M1)', async () => {
    const left = Promise.withResolvers<void>();
    await using server = await startModelDouble((answer) => {
      answer.on('close', left.resolve);
      answer.writeHead(200, { 'content-type': type });
      answer.write('data: {"choices":');
    });
    await using connections = openConnections();
    const asked = lightFetch(connections.dispatcher, { idleMs: 50 })(server.baseUrl, { ...ask, headers });
    const failure = describeBrokenCall(await asked.catch((error: unknown) => error));
    expect(failure).toMatchObject({ retryable: true, message: expect.stringMatching(/^Connection error: .*timeout/i) });
    await left.promise;
  });

  test('that redirects is refused before its body is read, and nobody asks the other address (M3, S4)', async () => {
    await using other = await startModelDouble(replyWith({}));
    await using server = await startModelDouble(replyWith('', { status: 302, headers: { location: other.baseUrl } }));
    await using connections = openConnections();
    await expect(lightFetch(connections.dispatcher)(server.baseUrl, { ...ask, headers })).rejects.toThrow(
      'redirects elsewhere',
    );
    expect(other.seen).toEqual([]);
  });

  test('is asked for without compression (M3)', async () => {
    await using server = await startModelDouble(replyWith({}));
    await using connections = openConnections();
    await lightFetch(connections.dispatcher)(server.baseUrl, { ...ask, headers });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });
});

test('S3-06 how long a connection took to open is told, and a connection that is used again took no time', async () => {
  const openingMs = 80;
  const connect = buildConnector({});
  await using server = await startModelDouble(replyWith({}));
  await using connections = {
    dispatcher: new Agent({
      connect: (options, done) => {
        setTimeout(() => connect(options, done), openingMs);
      },
    }),
    [Symbol.asyncDispose]() {
      return this.dispatcher.destroy();
    },
  };
  const told: number[] = [];
  const signal = Object.assign(new AbortController().signal, { opened: (ms: number) => told.push(ms) });
  const fetch = lightFetch(connections.dispatcher);
  for (let asked = 0; asked < 3; asked += 1) await fetch(server.baseUrl, { ...ask, signal });
  expect(told).toHaveLength(3);
  expect(told[0]).toBeGreaterThanOrEqual(openingMs - 1);
  // The second one may have come before the pool knew that the first connection is free.
  expect(told[2]).toBeLessThan(openingMs / 2);
});
