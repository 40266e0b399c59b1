import { describeError } from '@proofmark/domain/describe-error';
import { maskedLine, secretsOfUrl } from '@proofmark/domain/masked-line';
import { type Logger, pino } from 'pino';
import type { Environment } from '../environment.ts';
import { type Outages, outageHook } from './outage-hook.ts';

/** The log of a coordinator: lines of JSON without its secrets, in which an outage is a few lines. */
export function makeLog(
  environment: Environment,
  write: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): { log: Logger; outages: Outages } {
  const secrets = secretsOf(environment);
  const outages = outageHook(nowMs);
  const log = pino(
    {
      level: environment.PROOFMARK_LOG_LEVEL,
      serializers: { error: (error: unknown) => describeError(error) },
      hooks: { logMethod: outages.logMethod },
    },
    { write: (line) => write(maskedLine(line, secrets)) },
  );
  outages.writeTo(log);
  return { log, outages };
}

function secretsOf(environment: Environment): string[] {
  const urls = [
    environment.DATABASE_URL,
    environment.PROOFMARK_APP_DATABASE_URL,
    environment.PROOFMARK_WORKER_DATABASE_URL,
    ...environment.NATS_URL.split(','),
  ];
  const { PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, GITHUB_APP_PRIVATE_KEY, GITHUB_WEBHOOK_SECRET } = environment;
  const values = [environment.PROOFMARK_NATS_SEED, PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, GITHUB_APP_PRIVATE_KEY];
  // Two secrets of the webhook stand in one variable while they are exchanged.
  return [...urls.flatMap(secretsOfUrl), ...values, ...(GITHUB_WEBHOOK_SECRET ?? '').split(',')].filter(
    (secret) => secret !== undefined,
  );
}
