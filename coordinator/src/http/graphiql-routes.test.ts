import { afterAll, beforeAll, expect, test } from 'vitest';
import { graphiqlRoutes } from './graphiql-routes.ts';
import { type HttpServer, serve } from './serve.ts';

let server: HttpServer;

beforeAll(async () => {
  const onError = (error: unknown) => expect.fail(String(error));
  server = await serve({ host: '127.0.0.1', port: 0, onError, routes: graphiqlRoutes(true) });
});
afterAll(() => server?.close(0));

const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });

test('GraphiQL is there only where the operator wants it', () => {
  expect(graphiqlRoutes(false)).toEqual({});
  expect(Object.keys(graphiqlRoutes(true))).toEqual(['/graphiql', '/graphiql/*']);
});

test('G12 the page of GraphiQL has no script in it, and names and allows no other origin', async () => {
  const response = await get('/graphiql');
  const page = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const loaded = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, url]) => url);
  expect(loaded).toEqual(['/assets/icon.svg', '/graphiql/style.css', '/graphiql/app.js']);
  expect(page).not.toMatch(/<script(?! src="\/)|<style|\son\w+=/);
  const policy = response.headers.get('content-security-policy') ?? '';
  const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]));
  expect(directives.get('default-src')).toEqual(["'none'"]);
  expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
  for (const name of ['script-src', 'worker-src', 'connect-src']) expect(directives.get(name)).toEqual(["'self'"]);
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*|blob:/);
});

test('every file of GraphiQL comes from here, with its type and under the same policy', async () => {
  const page = await get('/graphiql');
  for (const [path, type, least] of [
    ['app.js', 'text/javascript; charset=utf-8', 1_000_000],
    ['style.css', 'text/css; charset=utf-8', 100_000],
    ['editorWorkerService.js', 'text/javascript; charset=utf-8', 100_000],
    ['json.js', 'text/javascript; charset=utf-8', 100_000],
    ['graphql.js', 'text/javascript; charset=utf-8', 100_000],
  ] as const) {
    const response = await get(`/graphiql/${path}`);
    const length = Number(response.headers.get('content-length'));
    expect([path, response.status, response.headers.get('content-type'), length > least]).toEqual([
      path,
      200,
      type,
      true,
    ]);
    expect(response.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'));
  }
  expect((await get('/graphiql/package.json')).status).toBe(404);
  expect((await get('/graphiql', 'POST')).status).toBe(405);
});
