import { type CoordinatorClient, coordinatorClient } from '@proofmark/client/coordinator-client';
import type { JobToken } from '@proofmark/client/job-token';
import type { Sent } from '@proofmark/client/send-operation';
import { type Credentials, jobToken, type RunTokens, runTokens } from '../job/credentials.ts';
import type { Job } from '../job/job.ts';

type JobCredentials = Extract<Credentials, { kind: 'job' }>;
export type UsableCredentials = Extract<Credentials, { kind: 'api-token' | 'job' }>;

/** A coordinator to whom the job proves who it is before every request. */
export interface CoordinatorConnection {
  /** Without a slash at its end. */
  url: string;
  /** Goes on for a minute when there is no answer. */
  patient: CoordinatorClient;
  /** Tries each request once. */
  quick: CoordinatorClient;
  /** What the exchange said; null before the first request, and always with an API token. */
  runToken: () => JobToken | null;
}

type Ports = Pick<Job, 'environment' | 'mask' | 'now' | 'random' | 'pause' | 'write'> & {
  signal?: AbortSignal;
};

/** Nothing is sent yet: the first request exchanges the token of the job. */
export function connectCoordinator(
  coordinatorUrl: string,
  credentials: UsableCredentials,
  job: Ports,
  traceparent?: string,
): CoordinatorConnection {
  const url = coordinatorUrl.replace(/\/+$/, '');
  const { now, random, pause, signal, environment, write } = job;
  const retry = { now, random, pause, onRetry: (message: string) => write(`Trying again: ${message}`) };
  const tokens = credentials.kind === 'job' ? jobTokens(url, credentials, job) : null;
  const bearer = tokens?.bearer ?? (() => apiToken(credentials));
  return {
    url,
    patient: coordinatorClient({ url, bearer, signal, traceparent, retry: { ...retry, forMs: environment.retryMs } }),
    quick: coordinatorClient({ url, bearer, signal, traceparent, retry: { ...retry, forMs: 0 } }),
    runToken: () => tokens?.current() ?? null,
  };
}

async function apiToken(credentials: UsableCredentials): Promise<Sent<string>> {
  return { ok: true, answer: credentials.kind === 'api-token' ? credentials.token : '' };
}

/** Each exchange takes a fresh OIDC token: a coordinator accepts one only once. */
function jobTokens(url: string, { idTokens, audience }: JobCredentials, job: Ports): RunTokens {
  const { now, random, pause, signal, mask } = job;
  const bearer = () => jobToken(idTokens, audience, mask);
  const exchanger = coordinatorClient({ url, bearer, signal, retry: { forMs: 0, now, random, pause } });
  return runTokens({ exchange: exchanger.exchangeToken, mask, now });
}
