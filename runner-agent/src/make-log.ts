import { maskedLog } from '@proofmark/process/masked-log';
import type { Logger } from 'pino';
import type { RunnerEnvironment } from './environment.ts';

/** The log of a runner: lines of JSON, without model keys and the login at the broker. */
export function makeRunnerLog(environment: RunnerEnvironment, write: (line: string) => void): Logger {
  const { PROOFMARK_LOG_LEVEL: level, PROOFMARK_RUNNER_ID: runner, NATS_URL: natsUrls, keys } = environment;
  const secrets = [...keys.values.values(), environment.PROOFMARK_NATS_SEED];
  return maskedLog({ level, base: { runner }, secrets, urls: natsUrls.split(',') }, write);
}
