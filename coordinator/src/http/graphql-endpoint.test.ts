import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AskedGraphql } from '../graphql/yoga.ts';
import { graphqlEndpoint } from './graphql-endpoint.ts';
import { type HttpServer, serve } from './serve.ts';

let server: HttpServer;
let asked = Promise.withResolvers<AskedGraphql>();
let answers: (asked: AskedGraphql) => Promise<Response>;

beforeAll(async () => {
  const graphql = graphqlEndpoint({
    origins: [],
    identify: async () => ({ ok: true, identity: null }),
    execute: async (given) => {
      asked.resolve(given);
      return await answers(given);
    },
  });
  const onError = (error: unknown) => expect.fail(String(error));
  server = await serve({ host: '127.0.0.1', port: 0, routes: { '/graphql': graphql }, onError });
});
afterAll(() => server?.close(0));

test('an answer is sent in one piece, and whoever made it is not told that its caller has gone', async () => {
  asked = Promise.withResolvers();
  answers = async ({ body }) => Response.json({ data: { said: body } });
  const response = await fetch(`http://127.0.0.1:${server.port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: '{ "query": "{ é }" }',
  });
  expect(await response.json()).toEqual({ data: { said: '{ "query": "{ é }" }' } });
  expect(response.headers.get('transfer-encoding')).toBeNull();
  expect(Number(response.headers.get('content-length'))).toBe(
    Buffer.byteLength('{"data":{"said":"{ \\"query\\": \\"{ é }\\" }"}}'),
  );
  expect((await asked.promise).signal.aborted).toBe(false);
});

test('whoever reads for a caller that has gone is told to stop', async () => {
  asked = Promise.withResolvers();
  answers = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(Response.json({ data: null }))));
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST /graphql HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  const { signal } = await asked.promise;
  const aborted = once(signal, 'abort');
  socket.destroy();
  await aborted;
  expect(signal.aborted).toBe(true);
});
