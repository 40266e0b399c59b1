import type { IncomingMessage } from 'node:http';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { identifyJob, type JobPorts } from '../access/identify-job.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import type { Identity } from '../graphql/context.ts';
import type { Browser } from './browser.ts';

type Identified<Identity> =
  | { ok: true; identity: Identity }
  | { ok: false; status: 401 | 403 | 503; code: 'UNAUTHENTICATED' | 'FORBIDDEN' | 'UNAVAILABLE'; message: string };

/** Who sends a request, by its head alone: nothing of its body is read for strangers. */
export type Identify<Identity> = (request: IncomingMessage) => Promise<Identified<Identity>>;

const messages = {
  UNAUTHENTICATED: 'Send a valid token as Authorization: Bearer, or sign in.',
  FORBIDDEN:
    'This job has no rights here: its repository is not enrolled, its event is none that starts runs, or it is not the workflow or environment that an admin has pinned.',
  UNAVAILABLE: 'Tokens cannot be checked at the moment. Try again later.',
} as const;
const statuses = { UNAUTHENTICATED: 401, FORBIDDEN: 403, UNAVAILABLE: 503 } as const;

/** Who the sender of a token or of the cookie of a session is. Whatever is wrong with either, the answer is the same. */
export function identifier(ports: JobPorts, browser: Browser): Identify<Identity> {
  return async (request) => {
    try {
      return await identify(ports, browser, request);
    } catch (error) {
      if (isLedgerDown(error)) return refused('UNAVAILABLE');
      throw error;
    }
  };
}

async function identify(ports: JobPorts, browser: Browser, request: IncomingMessage): Promise<Identified<Identity>> {
  const session = browser.sessionOf(request);
  // Who sends a token means it, whatever else the browser adds.
  if (session !== null && request.headers.authorization === undefined) {
    // A page of somebody else could make the browser send the cookie, though it could not read the answer.
    if (browser.isForeign(request)) return refused('UNAUTHENTICATED');
    return asCaller(await authenticate(ports.database, session, 'session'));
  }
  const bearer = bearerOf(request);
  // Only tokens of issuers have three parts.
  if (bearer.split('.').length === 3) {
    const identified = await identifyJob(ports, bearer);
    return identified.ok ? { ok: true, identity: { kind: 'job', job: identified.job } } : refused(identified.code);
  }
  return asCaller(await authenticate(ports.database, bearer, 'token'));
}

const asCaller = (caller: Caller | null): Identified<Identity> =>
  caller === null ? refused('UNAUTHENTICATED') : { ok: true, identity: { kind: 'caller', caller } };

/** The token of the only place it may stand in; an empty text when there is none. */
export function bearerOf(request: IncomingMessage): string {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

export function challenge(status: number): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return status === 503 ? { 'retry-after': '5' } : {};
}

function refused(code: keyof typeof messages): Identified<Identity> {
  return { ok: false, status: statuses[code], code, message: messages[code] };
}
