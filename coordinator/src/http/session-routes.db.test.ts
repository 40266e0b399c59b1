import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '../access/api-tokens.ts';
import { signInLinks } from '../access/sign-in-links.ts';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { newTenant, ownLedger, type Tenant } from '../story.fixture.ts';
import { browserOf } from './browser.ts';
import { graphqlEndpoint } from './graphql-endpoint.ts';
import { identifier } from './identify.ts';
import { type HttpServer, serve } from './serve.ts';
import { sessionRoutes } from './session-routes.ts';

const publicUrl = 'https://proofmark.test';
const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

let ledger: Ledger;
let tenant: Tenant;
let server: HttpServer;
let now = Date.now();

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  const { database } = ledger;
  const browser = browserOf(publicUrl, () => now);
  const links = signInLinks(Buffer.from('a key for links'), { publicUrl, now: () => now });
  const { session, link } = sessionRoutes({ database, browser, links, byName: null });
  const ports = {
    database,
    verify: async () => ({ ok: false as const, code: 'UNAUTHENTICATED' as const }),
    installations: null,
  };
  const graphql = graphqlEndpoint({
    origins: ['https://tools.test'],
    identify: identifier(ports, browser),
    execute: async (_request, identity) =>
      Response.json({ kind: identity.kind === 'caller' ? identity.caller.kind : '' }),
  });
  const onError = (error: unknown) => expect.fail(String(error));
  const routes = { '/session': session, '/session/link': link, '/graphql': graphql };
  server = await serve({ host: '127.0.0.1', port: 0, routes, onError });
});
afterAll(() => server?.close(0));

async function newTokenOf(of: Tenant): Promise<{ id: string; token: string }> {
  const made = await createApiToken(ledger.database, of.caller, { name: 'page', scopes: ['runs:read'] });
  if (!made.ok) expect.fail('there is no token');
  return { id: made.apiToken.id, token: made.token };
}

const send = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual', ...init });
const post = (body: object, headers: Record<string, string> = page, path = '/session') =>
  send(path, { method: 'POST', headers, body: JSON.stringify(body) });
const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const askGraphql = (cookie: string, headers: Record<string, string> = page) =>
  send('/graphql', { method: 'POST', headers: { ...headers, cookie }, body: '{}' });
const Viewer = z.object({
  viewer: z.object({ tenant: z.string(), login: z.string(), scopes: z.array(z.string()) }).nullable(),
});
const viewerOf = async (cookie: string) =>
  Viewer.parse(await (await send('/session', { headers: { cookie } })).json()).viewer;

async function signedIn(of = tenant): Promise<{ cookie: string; id: string; token: string }> {
  const made = await newTokenOf(of);
  const response = await post({ token: made.token });
  expect(response.status).toBe(201);
  return { ...made, cookie: cookieOf(response) };
}

it('a token becomes a cookie that no script reads, and that is sent over TLS by this site alone', async () => {
  const { token } = await newTokenOf(tenant);
  const response = await post({ token });
  expect(await response.json()).toEqual({
    ...{ viewer: { tenant: expect.any(String), login: 'ci', scopes: ['runs:read'] }, provider: null },
  });
  const header = response.headers.get('set-cookie') ?? '';
  expect(header).toMatch(
    /^__Host-proofmark=pms_[\w-]{43}; Max-Age=43\d\d\d; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  expect(header).not.toContain(token);
  expect(await viewerOf(cookieOf(response))).toMatchObject({ login: 'ci' });
  expect(await (await askGraphql(cookieOf(response))).json()).toEqual({ kind: 'session' });
});

it('what is no token of somebody signs nobody in', async () => {
  const { cookie } = await signedIn();
  const secret = cookie.split('=')[1] ?? '';
  for (const token of ['', 'pmk_unknown_but_long_enough_to_be_one', secret, 'a.b.c'])
    expect((await post({ token })).status).toBeGreaterThanOrEqual(400);
  expect((await post({ token: 'x' }, { ...page, 'content-type': 'text/plain' })).status).toBe(400);
  expect(await viewerOf('')).toBeNull();
});

it('a cookie counts as a cookie only, and a token as a token', async () => {
  const { cookie, token } = await signedIn();
  const secret = cookie.split('=')[1] ?? '';
  const asBearer = await send('/graphql', {
    method: 'POST',
    headers: { ...page, authorization: `Bearer ${secret}` },
    body: '{}',
  });
  expect(asBearer.status).toBe(401);
  expect((await askGraphql(`__Host-proofmark=${token}`)).status).toBe(401);
  expect((await askGraphql(`${cookie}; __Host-proofmark=other`)).status).toBe(401);
});

it.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of a neighbour below the same domain', { 'sec-fetch-site': 'same-site' }],
  ['of another origin, in a browser that says no more', { origin: 'https://evil.test' }],
  ['of an origin that may call with a token', { origin: 'https://tools.test' }],
])('a page %s can do nothing with the cookie', async (_, headers) => {
  const { cookie, token } = await signedIn();
  const foreign = { 'content-type': 'application/json', ...headers };
  expect((await askGraphql(cookie, foreign)).status).toBe(401);
  expect((await post({ token }, foreign)).status).toBe(403);
  expect((await send('/session', { method: 'DELETE', headers: { ...foreign, cookie } })).status).toBe(403);
  expect(await viewerOf(cookie)).not.toBeNull();
});

it('whoever signs out, or ends the token, ends the session', async () => {
  const one = await signedIn();
  const out = await send('/session', { method: 'DELETE', headers: { ...page, cookie: one.cookie } });
  expect(out.headers.get('set-cookie')).toMatch(/^__Host-proofmark=; Max-Age=0; /);
  expect((await askGraphql(one.cookie)).status).toBe(401);
  expect(await viewerOf(one.cookie)).toBeNull();
  const other = await signedIn();
  expect(await revokeApiToken(ledger.database, tenant.caller, other.id)).toBe(true);
  expect((await askGraphql(other.cookie)).status).toBe(401);
});

it('a session ends after twelve hours, or with its token', async () => {
  const { cookie, id } = await signedIn();
  const [row] = await ledger.query<{ hours: number; id: string }>(
    `select id, extract(epoch from expires_at - now())::float8 / 3600 as hours from api_tokens where parent_id = $1`,
    [id],
  );
  expect(row?.hours).toBeCloseTo(12, 1);
  await ledger.query(`update api_tokens set expires_at = now() where id = $1`, [row?.id]);
  expect((await askGraphql(cookie)).status).toBe(401);
});

it('the oldest of fifty-one sessions with one token has ended', async () => {
  const { cookie, id, token } = await signedIn();
  await ledger.query(`update api_tokens set created_at = now() - interval '1 hour' where parent_id = $1`, [id]);
  await ledger.query(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id, parent_id, expires_at)
     select tenant_id, name, token_hash || n, kind, scopes, user_id, parent_id, expires_at
     from api_tokens cross join generate_series(1, 49) n where parent_id = $1`,
    [id],
  );
  expect(await viewerOf(cookie)).not.toBeNull();
  expect((await post({ token })).status).toBe(201);
  expect(await viewerOf(cookie)).toBeNull();
});

it('a link signs in once, for a quarter of an hour, and leads to a page of this coordinator', async () => {
  const { token } = await newTokenOf(tenant);
  const bearer = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const linkTo = async (to: string) => await post({ to }, bearer, '/session/link');
  const Link = z.object({ url: z.string(), expiresAt: z.iso.datetime() });
  const pathOf = async (to: string) => Link.parse(await (await linkTo(to)).json()).url.replace(publicUrl, '');
  const path = await pathOf('/runs/1?case=2');
  expect(path).not.toContain(token);
  const used = await send(path);
  expect([used.status, used.headers.get('location')]).toEqual([303, '/runs/1?case=2']);
  expect(await viewerOf(cookieOf(used))).toMatchObject({ login: 'ci' });
  expect((await send(path)).status).toBe(403);
  const changed = (await pathOf('/')).replace('to=%2F', 'to=%2Fruns');
  expect((await send(changed)).status).toBe(403);
  for (const elsewhere of ['//evil.test', '/\\evil.test', 'https://evil.test', ''])
    expect((await linkTo(elsewhere)).status).toBe(400);
  const late = await pathOf('/');
  now += 16 * 60_000;
  expect((await send(late)).status).toBe(403);
  now -= 16 * 60_000;
  expect((await post({ to: '/' }, page, '/session/link')).status).toBe(401);
});
