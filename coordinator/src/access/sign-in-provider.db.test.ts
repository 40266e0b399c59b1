import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Role } from '@proofmark/contracts/words';
import Provider from 'oidc-provider';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { browserOf } from '../http/browser.ts';
import { type HttpServer, type Route, serve } from '../http/serve.ts';
import { sessionRoutes } from '../http/session-routes.ts';
import { newTenant, ownLedger, type Tenant } from '../story.fixture.ts';
import { OwnPath, signInLinks } from './sign-in-links.ts';
import { signInProvider } from './sign-in-provider.ts';

const clientId = 'proofmark';
const clientSecret = 'a secret of the client';
const key = Buffer.from('a key for signing in');

let ledger: Ledger;
let tenant: Tenant;
let tenantName: string;
let issuer: { url: string; server: Server };
let coordinator: { url: string; server: HttpServer };
let newcomers: Role | null = null;
const faults: unknown[] = [];
/** What the provider says of people beside their subject. */
const people = new Map<string, object>();

beforeAll(async () => {
  ledger = await ownLedger();
  tenantName = `tenant-${process.pid}`;
  tenant = await newTenant(ledger, tenantName);
  let routes: Record<string, Route> = {};
  const later =
    (path: string): Route =>
    (request, response) =>
      routes[path]?.(request, response);
  const paths = ['/session', '/session/link', '/session/provider', '/session/callback'] as const;
  const server = await serve({
    ...{ host: '127.0.0.1', port: 0, onError: (error: unknown) => void faults.push(error) },
    routes: Object.fromEntries(paths.map((path) => [path, later(path)])),
  });
  const url = `http://127.0.0.1:${server.port}`;
  coordinator = { url, server };
  issuer = await startIssuer(`${url}/session/callback`);
  const settings = {
    issuer: issuer.url,
    clientId,
    clientSecret,
    claim: 'email',
    redirectUri: `${url}/session/callback`,
  };
  const made = sessionRoutes({
    database: ledger.database,
    browser: browserOf(url, Date.now),
    links: signInLinks(key, { publicUrl: url, now: Date.now }),
    byName: {
      provider: signInProvider(settings, key, Date.now),
      rules: {
        tenant: tenantName,
        get newcomers() {
          return newcomers;
        },
      },
    },
  });
  routes = {
    ...{ '/session': made.session, '/session/link': made.link },
    ...{ '/session/provider': made.provider, '/session/callback': made.callback },
  };
});
afterEach(() => expect(faults.splice(0)).toEqual([]));
afterAll(async () => {
  await coordinator?.server.close(0);
  issuer?.server.close();
});

/** A real provider on this machine, whose page for signing in takes any name. */
async function startIssuer(redirectUri: string): Promise<{ url: string; server: Server }> {
  let answer: (...given: Parameters<ReturnType<Provider['callback']>>) => unknown = () => undefined;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // What listens on a port of this machine has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    cookies: { keys: ['for cookies of the provider'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  });
  answer = provider.callback();
  return { url, server };
}

/** A browser: it keeps the cookies of each origin, and follows what it is told to. */
function newBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const go = async (
    address: string,
    init: Pick<RequestInit, 'method' | 'body'> & { headers?: Record<string, string> } = {},
  ): Promise<{ url: string; status: number; text: string }> => {
    const { origin } = new URL(address);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null || location.startsWith('/runs')) {
      return { url: location ?? address, status: response.status, text: await response.text() };
    }
    return await go(new URL(location, address).href);
  };
  const send = (address: string, fields: Record<string, string>) =>
    go(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  /** From the button to the end, as somebody. */
  const signIn = async (login: string, to = '/runs/7') => {
    const page = await go(`${coordinator.url}/session/provider?to=${encodeURIComponent(to)}`);
    const consent = await send(page.url, { prompt: 'login', login, password: 'any' });
    return consent.url.includes('/interaction/') ? await send(consent.url, { prompt: 'consent' }) : consent;
  };
  return { go, signIn, jarOf: (origin: string) => jars.get(origin) ?? new Map<string, string>() };
}

const Told = z.object({
  viewer: z.object({ login: z.string(), scopes: z.array(z.string()) }).nullable(),
  provider: z.object({ name: z.string(), url: z.string() }),
});
const told = async (browser: ReturnType<typeof newBrowser>) =>
  Told.parse(JSON.parse((await browser.go(`${coordinator.url}/session`)).text));

const newPerson = async (login: string, role: Role) =>
  await ledger.query(`insert into users (tenant_id, login, kind, role) values ($1, $2, 'person', $3)`, [
    tenant.id,
    login,
    role,
  ]);
const verified = (email: string) => ({ email, email_verified: true, name: 'Anna Berg' });

it('a person whom an admin has made signs in by name, and may what the role says at each request', async () => {
  await newPerson('anna@acme.test', 'writer');
  people.set('anna', verified('anna@acme.test'));
  const browser = newBrowser();
  expect((await told(browser)).provider).toEqual({ name: new URL(issuer.url).host, url: '/session/provider' });
  const landed = await browser.signIn('anna');
  expect([landed.url, landed.status]).toEqual(['/runs/7', 303]);
  const { viewer } = await told(browser);
  expect(viewer).toMatchObject({ login: 'anna@acme.test' });
  expect(viewer?.scopes).toContain('runs:write');
  expect(viewer?.scopes).not.toContain('admin');
  await ledger.query(`update users set role = 'reader' where login = 'anna@acme.test'`);
  expect((await told(browser)).viewer?.scopes).toEqual(['runs:read']);
  await ledger.query(`update users set disabled_at = now() where login = 'anna@acme.test'`);
  expect((await told(browser)).viewer).toBeNull();
  expect((await newBrowser().signIn('anna')).text).toContain('may not sign in any more');
});

it('somebody is known by their subject, whatever they are called later, and nobody takes their place', async () => {
  await newPerson('bert@acme.test', 'reader');
  people.set('bert', verified('bert@acme.test'));
  expect((await newBrowser().signIn('bert')).status).toBe(303);
  people.set('bert', verified('bert.moved@acme.test'));
  const browser = newBrowser();
  await browser.signIn('bert');
  expect((await told(browser)).viewer?.login).toBe('bert@acme.test');
  people.set('other', verified('bert@acme.test'));
  expect((await newBrowser().signIn('other')).text).toContain('Nobody here has the login bert@acme.test');
});

it('an address that nobody verified, and a stranger, sign nobody in', async () => {
  await newPerson('carl@acme.test', 'admin');
  people.set('carl', { email: 'carl@acme.test', email_verified: false });
  expect((await newBrowser().signIn('carl')).text).toContain('does not say that carl@acme.test was verified');
  people.set('dora', verified('dora@acme.test'));
  const refused = await newBrowser().signIn('dora');
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('createPerson')]);
  newcomers = 'reader';
  const browser = newBrowser();
  expect((await browser.signIn('dora')).status).toBe(303);
  expect((await told(browser)).viewer).toEqual({ login: 'dora@acme.test', scopes: ['runs:read'] });
  newcomers = null;
});

it('what a stolen answer of the provider says, counts in no other browser, and in its own only once', async () => {
  people.set('emil', verified('emil@acme.test'));
  await newPerson('emil@acme.test', 'admin');
  const victim = newBrowser();
  const begun = await victim.go(`${coordinator.url}/session/provider`);
  expect(begun.url).toContain('/interaction/');
  const elsewhere = await newBrowser().go(`${coordinator.url}/session/callback?code=stolen&state=any`);
  expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('was not begun in this browser')]);
  const wrongState = await victim.go(`${coordinator.url}/session/callback?code=stolen&state=any`);
  expect([wrongState.status, wrongState.text]).toEqual([403, expect.stringContaining('did not vouch for anybody')]);
  // Each answer ends the flow, whatever came of it.
  const again = await victim.go(`${coordinator.url}/session/callback?code=stolen&state=any`);
  expect(again.text).toContain('was not begun in this browser');
});

it('an address counts where the provider says in words that it was verified', async () => {
  await newPerson('gina@acme.test', 'reader');
  people.set('gina', { email: 'gina@acme.test', email_verified: 'true' });
  expect((await newBrowser().signIn('gina')).status).toBe(303);
  people.set('gina', { email: 'gina@acme.test', email_verified: 'false' });
  expect((await newBrowser().signIn('gina')).text).toContain('does not say that gina@acme.test was verified');
});

it.each(['//evil.test', '/\\evil.test', '/\t/evil.test', '/\n/evil.test', '/\r//evil.test', '/runs/€'])(
  'a sign-in leads to no path like %j',
  (to) => {
    expect(OwnPath.safeParse(to).success).toBe(false);
    const caller = { tenantId: tenant.id, tokenId: tenant.userId };
    expect(signInLinks(key, { publicUrl: coordinator.url, now: Date.now }).sign(caller, to)).toBeNull();
  },
);

it('nobody is led to another server, and signing in is noted with who it was', async () => {
  await newPerson('fred@acme.test', 'reader');
  people.set('fred', verified('fred@acme.test'));
  const browser = newBrowser();
  const page = await browser.go(`${coordinator.url}/session/provider?to=//evil.test`);
  const jar = browser.jarOf(coordinator.url);
  const flow = jar.get('proofmark-sign-in') ?? '';
  expect(Buffer.from(flow.split('.')[0] ?? '', 'base64url').toString('utf8')).toContain('"to":"/"');
  expect(page.url).toContain('/interaction/');
  await browser.signIn('fred');
  const [entry] = await ledger.query(
    `select u.login, e.action from audit_entries e join users u on u.id = e.user_id where e.subject = 'session' order by e.at desc limit 1`,
  );
  expect(entry).toEqual({ login: 'fred@acme.test', action: 'created' });
});
