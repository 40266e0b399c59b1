import type { JobToken } from '@proofmark/client/job-token';
import { refused, type Sent } from '@proofmark/client/send-operation';
import { z } from 'zod';
import type { IdTokens } from './environment.ts';
import type { Inputs } from './inputs.ts';
import type { JobTrigger } from './read-event.ts';

/** Where the URL of the coordinator was found; a pull request can change a file, but no input. */
export interface CoordinatorPlace {
  url: string;
  from: 'input' | 'file';
}

export type Credentials =
  | { kind: 'api-token'; token: string }
  | { kind: 'job'; idTokens: IdTokens; audience: string }
  /** Of a fork or of Dependabot: somebody has to approve, and nothing is asked for. */
  | { kind: 'awaiting-approval'; message: string }
  | { kind: 'missing'; message: string };

interface Available {
  inputs: Pick<Inputs, 'api-token' | 'oidc-audience'>;
  place: CoordinatorPlace;
  idTokens: IdTokens | null;
  trigger: JobTrigger | null;
}

/** How the job proves who it is. Decided before any request: a token is never tried where it cannot be. */
export function chooseCredentials({ inputs, place, idTokens, trigger }: Available): Credentials {
  const { 'api-token': token, 'oidc-audience': audience } = inputs;
  if (place.from === 'file' && (token !== null || audience !== null)) {
    const name = token === null ? 'oidc-audience' : 'api-token';
    const message = `${name} needs the input coordinator: a URL out of a file of the repository gets no token that works elsewhere.`;
    return { kind: 'missing', message };
  }
  if (token !== null) return { kind: 'api-token', token };
  if (idTokens !== null) return { kind: 'job', idTokens, audience: audience ?? place.url.replace(/\/+$/, '') };
  const foreign = trigger?.withoutSecrets ?? null;
  return foreign === null
    ? { kind: 'missing', message: missingPermission }
    : { kind: 'awaiting-approval', message: awaitingApproval(foreign) };
}

const missingPermission = `This job has no OIDC token. Add these permissions to the job:
permissions:
  contents: read
  id-token: write
or give a Proofmark API token with the input api-token.`;

export const awaitingApproval = (origin: 'Fork' | 'Dependabot') =>
  `${origin} pull request: no token in this job. With the Proofmark App a maintainer approves the run on the check; ` +
  'otherwise start this workflow by hand with pull-request and head-sha.';

/** The run token of the job: exchanged when it is first needed and again before it ends. */
export interface RunTokens {
  bearer: () => Promise<Sent<string>>;
  /** Null until the first exchange. */
  current: () => JobToken | null;
}

interface TokenPorts {
  exchange: () => Promise<Sent<JobToken>>;
  mask: (secret: string) => void;
  now: () => number;
}

const renewedBeforeMs = 60_000;

export function runTokens({ exchange, mask, now }: TokenPorts): RunTokens {
  let held: JobToken | null = null;
  return {
    current: () => held,
    bearer: async () => {
      if (held !== null && held.expiresAtMs - now() > renewedBeforeMs) return { ok: true, answer: held.token };
      const exchanged = await exchange();
      if (!exchanged.ok) return exchanged;
      held = exchanged.answer;
      mask(held.token);
      return { ok: true, answer: held.token };
    },
  };
}

const IdToken = z.object({ value: z.string().min(1) });
const idTokenMs = 15_000;

/** A fresh OIDC token; GitHub's failure to give one is transient like that of any server. */
export async function jobToken(
  { url, bearer }: IdTokens,
  audience: string,
  mask: (secret: string) => void,
): Promise<Sent<string>> {
  try {
    const answer = await fetch(`${url}&audience=${encodeURIComponent(audience)}`, {
      headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
      redirect: 'error',
      signal: AbortSignal.timeout(idTokenMs),
    });
    if (!answer.ok) return noIdToken(`it answered ${answer.status}`);
    const { value } = IdToken.parse(await answer.json());
    mask(value);
    return { ok: true, answer: value };
  } catch (error) {
    return noIdToken(error instanceof Error ? error.message : String(error));
  }
}

const noIdToken = (reason: string) =>
  refused('NO_ID_TOKEN', `GitHub gave no OIDC token: ${reason}`, { isTransient: true });
