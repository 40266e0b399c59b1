import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { z } from 'zod';
import { authenticate, callerOfToken } from '../access/authenticate.ts';
import { endBrowserSession, openBrowserSession } from '../access/browser-sessions.ts';
import type { Caller } from '../access/caller.ts';
import { OwnPath, type SignInLinks } from '../access/sign-in-links.ts';
import { type SignInRules, signInPerson } from '../access/sign-in-person.ts';
import type { SignInProvider } from '../access/sign-in-provider.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import type { Database } from '../database/transactions.ts';
import { readViewerNames } from '../graphql/access/viewer.ts';
import type { Browser } from './browser.ts';
import { bearerOf } from './identify.ts';
import { readBody } from './read-body.ts';
import { refuse, respond } from './respond.ts';
import type { Route } from './serve.ts';

type SessionOptions = {
  database: Database;
  browser: Browser;
  links: SignInLinks;
  /** Null: people sign in with tokens only. */
  byName: { provider: SignInProvider; rules: SignInRules } | null;
};

const mostBytes = 4096;
const SignIn = z.strictObject({ token: z.string().min(1).max(300) });
const WantedLink = z.strictObject({ to: z.string().default('/') });

/**
 * `/session`: who is signed in (GET), signing in with a token (POST) and signing out (DELETE). `/session/link`: a token makes a
 * link (POST) that signs a browser in once (GET). `/session/provider` leads to the OpenID provider, which leads back to
 * `/session/callback`.
 */
export function sessionRoutes(options: SessionOptions): Record<'session' | 'link' | 'provider' | 'callback', Route> {
  return {
    provider: guarded(options, { GET: goToProvider }),
    callback: guarded(options, { GET: comeBack }),
    session: guarded(options, { GET: tell, POST: signIn, DELETE: signOut }),
    link: guarded(options, { GET: followLink, POST: makeLink }),
  };
}

type Step = (request: IncomingMessage, response: ServerResponse, options: SessionOptions) => Promise<void>;

/** Nothing that changes something is taken from pages of other origins. */
function guarded(options: SessionOptions, steps: Readonly<Partial<Record<string, Step>>>): Route {
  const allow = Object.keys(steps).join(', ');
  return async (request, response) => {
    const step = steps[request.method ?? ''];
    if (step === undefined)
      return refuse(response, {
        ...{ status: 405, code: 'METHOD_NOT_ALLOWED', message: `Send one of ${allow}.`, headers: { allow } },
      });
    if (request.method !== 'GET' && options.browser.isForeign(request)) return refuse(response, foreign);
    try {
      await step(request, response, options);
    } catch (error) {
      if (!isLedgerDown(error)) throw error;
      refuse(response, unavailable);
    }
  };
}

const foreign = { status: 403, code: 'FORBIDDEN', message: 'Only pages of this coordinator may do that.' };
const unavailable = {
  ...{ status: 503, code: 'UNAVAILABLE', message: 'Nobody can be signed in at the moment. Try again later.' },
  headers: { 'retry-after': '5' },
};
const unknown = {
  ...{ status: 401, code: 'UNAUTHENTICATED', message: 'This token opens nothing here. It may have expired.' },
};

async function tell(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const secret = options.browser.sessionOf(request);
  const caller = secret === null ? null : await authenticate(options.database, secret, 'session');
  const stale = secret !== null && caller === null ? { 'set-cookie': options.browser.forget() } : {};
  const viewer = caller && (await viewerOf(options.database, caller));
  sendJson(response, 200, { viewer, ...waysIn(options) }, stale);
}

/** How people may sign in by name, for the button of the page. */
const waysIn = ({ byName }: SessionOptions) => ({
  provider: byName && { name: byName.provider.name, url: '/session/provider' },
});

async function goToProvider(
  request: IncomingMessage,
  response: ServerResponse,
  options: SessionOptions,
): Promise<void> {
  if (options.byName === null) return respond(response, { status: 404, body: 'Not found\n' });
  const { searchParams } = new URL(request.url ?? '/', 'http://proofmark');
  const to = OwnPath.safeParse(searchParams.get('to') ?? '/').data ?? '/';
  try {
    const { url, flow } = await options.byName.provider.begin(to);
    redirect(response, url.href, [options.browser.keepFlow(flow)]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tellPerson(response, 503, `The provider cannot be asked (${reason}). Try again later, or sign in with a token.`);
  }
}

async function comeBack(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const { byName, browser, database } = options;
  if (byName === null) return respond(response, { status: 404, body: 'Not found\n' });
  const { searchParams } = new URL(request.url ?? '/', 'http://proofmark');
  const provided = await byName.provider.finish(searchParams, browser.flowOf(request) ?? '');
  const signed = provided.ok ? await signInPerson(database, byName.rules, provided.person) : provided;
  if (!provided.ok || !signed.ok) {
    const { message } = provided.ok && !signed.ok ? signed : { message: provided.ok ? '' : provided.message };
    response.setHeader('set-cookie', browser.forgetFlow());
    return tellPerson(response, 403, message);
  }
  const { secret, expiresAt } = signed.session;
  redirect(response, provided.to, [browser.keep(secret, new Date(expiresAt)), browser.forgetFlow()]);
}

function redirect(response: ServerResponse, location: string, cookies: string[]): void {
  respond(response, { status: 303, body: '', headers: { location, 'set-cookie': cookies } });
}

/** A page of its own, as nothing of ours runs there. */
function tellPerson(response: ServerResponse, status: number, message: string): void {
  respond(response, { status, body: `Nobody was signed in. ${message}\n` });
}

async function signIn(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const asked = await readJson(request, response, SignIn, 'Send {"token": "pmk_…"} as application/json.');
  if (asked === null) return;
  const caller = await authenticate(options.database, asked.token, 'token');
  if (caller === null) return refuse(response, unknown);
  const headers = await signedIn(options, caller);
  if (headers === null) return refuse(response, unknown);
  sendJson(response, 201, { viewer: await viewerOf(options.database, caller), ...waysIn(options) }, headers);
}

async function signOut(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const { browser, database } = options;
  const secret = browser.sessionOf(request);
  const caller = secret === null ? null : await authenticate(database, secret, 'session');
  if (caller !== null) await endBrowserSession(database, caller);
  sendJson(response, 200, { viewer: null, ...waysIn(options) }, { 'set-cookie': browser.forget() });
}

async function makeLink(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const caller = await authenticate(options.database, bearerOf(request), 'token');
  if (caller === null || caller.kind !== 'api') return refuse(response, unknown);
  const asked = await readJson(request, response, WantedLink, 'Send {"to": "/runs/…"} as application/json.');
  if (asked === null) return;
  const link = options.links.sign(caller, asked.to);
  if (link === null)
    return refuse(response, {
      status: 400,
      code: 'BAD_USER_INPUT',
      message: 'to: must be a path of this coordinator.',
    });
  sendJson(response, 201, link);
}

async function followLink(request: IncomingMessage, response: ServerResponse, options: SessionOptions): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://proofmark');
  const link = await options.links.use(options.database, searchParams);
  const caller = link && (await callerOfToken(options.database, link));
  const headers = caller && (await signedIn(options, caller));
  if (link === null || headers === null)
    return refuse(response, {
      ...{ status: 403, code: 'FORBIDDEN', message: 'This link was used, has ended or is none of ours. Make another.' },
    });
  respond(response, { status: 303, body: '', headers: { ...headers, location: link.to } });
}

/** The header that signs in with the rights of a caller; null where its token opens nothing any more. */
async function signedIn({ database, browser }: SessionOptions, caller: Caller): Promise<OutgoingHttpHeaders | null> {
  const session = await openBrowserSession(database, caller);
  return session && { 'set-cookie': browser.keep(session.secret, new Date(session.expiresAt)) };
}

async function viewerOf(database: Database, caller: Caller) {
  const { tenant, login } = await readViewerNames(database, caller);
  return { tenant, login, scopes: [...caller.scopes] };
}

/** The body of a request in its shape; null, and answered, where it has another one. */
async function readJson<Shape extends z.ZodType>(
  request: IncomingMessage,
  response: ServerResponse,
  shape: Shape,
  hint: string,
): Promise<z.output<Shape> | null> {
  const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
  const body = isJson ? await readBody(request, mostBytes) : null;
  const parsed = body?.ok === true ? shape.safeParse(parseJson(body.bytes)) : null;
  if (parsed?.success === true) return parsed.data;
  refuse(response, { status: 400, code: 'BAD_REQUEST', message: hint });
  return null;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // It fits no shape.
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: object, headers: OutgoingHttpHeaders = {}): void {
  respond(response, { status, body: JSON.stringify(body), type: 'application/json; charset=utf-8', headers });
}
