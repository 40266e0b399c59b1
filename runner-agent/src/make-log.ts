import { describeError } from '@proofmark/domain/describe-error';
import { maskedLine, secretsOfUrl } from '@proofmark/domain/masked-line';
import { type Logger, pino } from 'pino';
import type { Environment } from './environment.ts';

/** The log of a runner: lines of JSON, without model keys and the login at the broker. */
export function makeLog(environment: Environment, write: (line: string) => void): Logger {
  const { PROOFMARK_LOG_LEVEL: level, PROOFMARK_RUNNER_ID: runner, NATS_URL: natsUrls, keys } = environment;
  const seed = environment.PROOFMARK_NATS_SEED;
  const values = [...keys.values.values()].filter((value) => value !== undefined);
  const secrets = [...values, ...(seed === undefined ? [] : [seed]), ...natsUrls.split(',').flatMap(secretsOfUrl)];
  return pino(
    { level, base: { runner }, serializers: { error: (error: unknown) => describeError(error) } },
    { write: (line) => write(maskedLine(line, secrets)) },
  );
}
