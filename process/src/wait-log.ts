import { waitingLines } from '@proofmark/domain/log-line';
import type { Logger } from 'pino';

/** Says in a few lines of the log that something is awaited, and when it is there. */
export interface WaitLog {
  failed: (reason: string) => void;
  over: () => void;
}

export function waitLog(log: Logger, what: string): WaitLog {
  const lines = waitingLines(what);
  return {
    failed: (reason) => {
      const line = lines.failed(reason, performance.now());
      if (line !== null) log.warn(line);
    },
    over: () => {
      const line = lines.over(performance.now());
      if (line !== null) log.info(line);
    },
  };
}
