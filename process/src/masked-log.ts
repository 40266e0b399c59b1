import { describeError, maskedLine, secretsOfUrl } from '@proofmark/domain/log-line';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { tracing } from './tracing/tracing.ts';

interface LogOptions extends Pick<LoggerOptions, 'base' | 'hooks'> {
  level: string;
  /** What this process knows and nobody may read; absent ones are none. */
  secrets: readonly (string | undefined)[];
  /** Addresses that may hold a login. */
  urls: readonly (string | undefined)[];
}

/** The log of a process: lines of JSON without its secrets, and of an error only what describes it. */
export function maskedLog({ secrets, urls, ...options }: LogOptions, write: (line: string) => void): Logger {
  const masked = [...secrets.filter((secret) => secret !== undefined), ...urls.flatMap(secretsOfUrl)];
  return pino(
    // Nothing but an empty object where nobody wants to see traces.
    {
      ...options,
      mixin: () => tracing()?.ids() ?? {},
      serializers: { error: (error: unknown) => describeError(error) },
    },
    { write: (line) => write(maskedLine(line, masked)) },
  );
}
