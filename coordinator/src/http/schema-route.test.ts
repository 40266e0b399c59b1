import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printSchema } from '../graphql/schema.ts';
import { schemaRoute } from './schema-route.ts';
import { type HttpServer, serve } from './serve.ts';

let server: HttpServer;

const caller = {
  ...{ tenantId: 't', userId: 'u', tokenId: 'k', kind: 'api' as const, repositoryId: null, claims: null },
  scopes: new Set(['runs:read' as const]),
};
const identify = async (request: IncomingMessage) =>
  request.headers.authorization === 'Bearer good'
    ? { ok: true as const, identity: { kind: 'caller' as const, caller } }
    : { ok: false as const, status: 401 as const, code: 'UNAUTHENTICATED' as const, message: 'Send a valid token.' };

beforeAll(async () => {
  const text = printSchema();
  server = await serve({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => expect.fail(String(error)),
    routes: {
      '/schema.graphql': schemaRoute({ print: () => text, identify, isTold: true }),
      '/silent': schemaRoute({ print: () => text, identify, isTold: false }),
    },
  });
});
afterAll(() => server?.close(0));

const get = (path: string, token = 'good', method = 'GET') =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers: { authorization: `Bearer ${token}` } });

test('whoever has a token is told the schema, as it is published', async () => {
  const response = await get('/schema.graphql');
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(await readFile(new URL('../../../schema.graphql', import.meta.url), 'utf8'));
});

test('G7 without a token, or where the operator has turned introspection off, nothing is told', async () => {
  const stranger = await get('/schema.graphql', 'bad');
  expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect((await get('/silent')).status).toBe(404);
  expect((await get('/schema.graphql', 'good', 'POST')).status).toBe(405);
});
