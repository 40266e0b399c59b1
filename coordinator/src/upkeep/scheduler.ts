import { readNowMs } from '../database/ledger-clock.ts';
import type { RowKey } from '../database/row-key.ts';
import type { Database } from '../database/transactions.ts';
import type { ScheduledStart } from '../start/start-scheduled-run.ts';
import type { StoredRunAnswer } from '../start/start-stored-run.ts';
import type { Loop } from './run-loops.ts';
import { type DueSuite, settleWindow, takeDueSuites } from './scheduled-suites.ts';

type Tell = (facts: object, text: string) => void;

type SchedulerOptions = {
  database: Database;
  start: (suite: ScheduledStart) => Promise<StoredRunAnswer>;
  onStarted: (run: RowKey) => void;
  log: { info: Tell; warn: Tell };
};

const everyMs = 10_000;

/** Starts the suites that run by themselves, each once per hour, day or week, whichever replica is first. */
export function scheduler(options: SchedulerOptions): Loop {
  return {
    name: 'scheduler',
    every: everyMs,
    run: async () => await startDueSuites(options, await readNowMs(options.database)),
  };
}

/** One pass at this time; by the clock of the ledger in production. */
export async function startDueSuites(
  options: SchedulerOptions,
  nowMs: number,
): Promise<{ started: number; refused: number }> {
  const counts = { started: 0, refused: 0 };
  for (const due of await takeDueSuites(options.database, nowMs)) {
    const came = await startOne(due, options);
    if (came !== 'later') counts[came] += 1;
  }
  return counts;
}

async function startOne(
  due: DueSuite,
  { database, start, onStarted, log }: SchedulerOptions,
): Promise<'started' | 'refused' | 'later'> {
  const { tenantId, suiteId, createdBy, window } = due;
  const facts = { tenantId, suiteId, dueAt: new Date(window.dueMs).toISOString() };
  try {
    const answer = await start({ tenantId, suiteId, createdBy, windowStart: new Date(window.startMs) });
    if (answer.ok) {
      await settleWindow(database, due, { runId: answer.runId, reason: null });
      onStarted({ tenantId, id: answer.runId });
      log.info({ ...facts, runId: answer.runId }, 'A suite was started by its schedule');
      return 'started';
    }
    const reason = reasonOf(answer.error);
    await settleWindow(database, due, { runId: null, reason });
    log.warn({ ...facts, reason }, 'A suite could not be started by its schedule');
    return 'refused';
  } catch (error) {
    // The window stays taken and is taken over when it counts as lost: the other suites are not to wait for this one.
    log.warn({ ...facts, error }, 'Starting a suite by its schedule failed and will be repeated');
    return 'later';
  }
}

function reasonOf(error: Extract<StoredRunAnswer, { ok: false }>['error']): string {
  if ('problems' in error)
    return [error.code, ...error.problems.map(({ message }) => message)].join('; ').slice(0, 2000);
  return 'message' in error ? `${error.code}; ${error.message}` : error.code;
}
