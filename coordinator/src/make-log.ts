import { maskedLog } from '@proofmark/process/masked-log';
import type { Logger } from 'pino';
import type { CoordinatorEnvironment, coordinatorSecrets } from './environment.ts';
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

type Hidden = Partial<Record<'secrets' | 'urls', readonly (string | undefined)[]>>;

/** What hides each variable that is never shown: the same names as those that may be read from a file. */
const hidden: Readonly<Record<(typeof coordinatorSecrets)[number], (environment: CoordinatorEnvironment) => Hidden>> = {
  DATABASE_URL: ({ DATABASE_URL }) => ({ urls: [DATABASE_URL] }),
  PROOFMARK_APP_DATABASE_URL: ({ PROOFMARK_APP_DATABASE_URL }) => ({ urls: [PROOFMARK_APP_DATABASE_URL] }),
  PROOFMARK_WORKER_DATABASE_URL: ({ PROOFMARK_WORKER_DATABASE_URL }) => ({ urls: [PROOFMARK_WORKER_DATABASE_URL] }),
  NATS_URL: ({ NATS_URL }) => ({ urls: NATS_URL.split(',') }),
  PROOFMARK_NATS_SEED: ({ PROOFMARK_NATS_SEED }) => ({ secrets: [PROOFMARK_NATS_SEED] }),
  PROOFMARK_SECRET: ({ PROOFMARK_SECRET }) => ({ secrets: [PROOFMARK_SECRET] }),
  PROOFMARK_SIGN_IN_CLIENT_SECRET: ({ PROOFMARK_SIGN_IN_CLIENT_SECRET }) => ({
    secrets: [PROOFMARK_SIGN_IN_CLIENT_SECRET],
  }),
  PROOFMARK_BOOTSTRAP_TOKEN: ({ PROOFMARK_BOOTSTRAP_TOKEN }) => ({ secrets: [PROOFMARK_BOOTSTRAP_TOKEN] }),
  PROOFMARK_SMTP_URL: ({ PROOFMARK_SMTP_URL }) => ({ urls: [PROOFMARK_SMTP_URL] }),
  OTEL_EXPORTER_OTLP_HEADERS: ({ OTEL_EXPORTER_OTLP_HEADERS }) => ({
    secrets: Object.values(OTEL_EXPORTER_OTLP_HEADERS),
  }),
  GITHUB_APP_PRIVATE_KEY: ({ githubServers }) => ({ secrets: githubServers.map(({ app }) => app?.privateKey) }),
  GITHUB_WEBHOOK_SECRET: ({ githubServers }) => ({ secrets: githubServers.flatMap((one) => one.webhookSecrets) }),
};

function secretsOf(environment: CoordinatorEnvironment): Required<Hidden> {
  const all = Object.values(hidden).map((of) => of(environment));
  return { secrets: all.flatMap(({ secrets = [] }) => secrets), urls: all.flatMap(({ urls = [] }) => urls) };
}
