import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@proofmark/domain/log-line';
import { waitLog } from '@proofmark/process/wait-log';
import type { Logger } from 'pino';

const firstPauseMs = 250;
const longestPauseMs = 4_000;

/** Tries something that a dependency may not be ready for, less and less often, for a while; rejects with the last failure. */
export async function retryStart<Result>(
  what: string,
  work: () => Promise<Result>,
  { log, forMs = 60_000, signal }: { log: Logger; forMs?: number; signal: AbortSignal },
): Promise<Result> {
  const deadlineMs = performance.now() + forMs;
  const waiting = waitLog(log, what);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const result = await work();
      waiting.over();
      return result;
    } catch (error) {
      if (error instanceof StartRefused || signal.aborted || performance.now() > deadlineMs) throw error;
      waiting.failed(reasonOf(error));
      await pause(pauseMs, undefined, { signal });
    }
  }
}

/** Waiting cannot help: the set-up is wrong. Each problem says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}
