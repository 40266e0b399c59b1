import { maskedLog } from '@proofmark/process/masked-log';
import type { Logger } from 'pino';
import type { CoordinatorEnvironment } from './environment.ts';
import { type Outages, outageHook } from './outage-hook.ts';

/** The log of a coordinator: lines of JSON without its secrets, in which an outage is a few lines. */
export function makeCoordinatorLog(
  environment: CoordinatorEnvironment,
  write: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): { log: Logger; outages: Outages } {
  const outages = outageHook(nowMs);
  const log = maskedLog(
    { level: environment.PROOFMARK_LOG_LEVEL, hooks: { logMethod: outages.logMethod }, ...secretsOf(environment) },
    write,
  );
  outages.writeTo(log);
  return { log, outages };
}

function secretsOf(environment: CoordinatorEnvironment) {
  const { PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, githubServers } = environment;
  const ofServers = githubServers.flatMap(({ app, webhookSecrets }) => [app?.privateKey, ...webhookSecrets]);
  return {
    secrets: [environment.PROOFMARK_NATS_SEED, PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, ...ofServers],
    urls: [
      environment.DATABASE_URL,
      environment.PROOFMARK_APP_DATABASE_URL,
      environment.PROOFMARK_WORKER_DATABASE_URL,
      ...environment.NATS_URL.split(','),
    ],
  };
}
