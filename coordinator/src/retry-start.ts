import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const everyMs = 500;

/** Tries something that a dependency may not be ready for, for a while; rejects with the last failure. */
export async function retryStart<Result>(
  what: string,
  work: () => Promise<Result>,
  { log, forMs = 60_000, signal }: { log: Logger; forMs?: number; signal: AbortSignal },
): Promise<Result> {
  const deadlineMs = performance.now() + forMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StartRefused || signal.aborted || performance.now() > deadlineMs) throw error;
      log.warn({ error }, `${what} is not there yet`);
      await pause(everyMs, undefined, { signal });
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
