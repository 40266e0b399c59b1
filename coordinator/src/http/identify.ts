import { authenticate } from '../access/authenticate.ts';
import { identifyJob, type JobPorts } from '../access/identify-job.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import type { Identity } from '../graphql/context.ts';
import type { Identified } from './graphql-endpoint.ts';

const messages = {
  UNAUTHENTICATED: 'Send a valid token as Authorization: Bearer.',
  FORBIDDEN: 'This repository or event has no rights here.',
  UNAVAILABLE: 'Tokens cannot be checked at the moment. Try again later.',
} as const;
const statuses = { UNAUTHENTICATED: 401, FORBIDDEN: 403, UNAVAILABLE: 503 } as const;

/** Who the sender of a bearer token is. Whatever is wrong with a token, the answer is the same. */
export function identifier(ports: JobPorts): (bearer: string) => Promise<Identified<Identity>> {
  return async (bearer) => {
    try {
      return await identify(ports, bearer);
    } catch (error) {
      if (isLedgerDown(error)) return refused('UNAVAILABLE');
      throw error;
    }
  };
}

async function identify(ports: JobPorts, bearer: string): Promise<Identified<Identity>> {
  // Only tokens of issuers have three parts.
  if (bearer.split('.').length === 3) {
    const identified = await identifyJob(ports, bearer);
    return identified.ok ? { ok: true, identity: { kind: 'job', job: identified.job } } : refused(identified.code);
  }
  const caller = await authenticate(ports.database, bearer);
  return caller === null ? refused('UNAUTHENTICATED') : { ok: true, identity: { kind: 'caller', caller } };
}

function refused(code: keyof typeof messages): Identified<Identity> {
  return { ok: false, status: statuses[code], code, message: messages[code] };
}
