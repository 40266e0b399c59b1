import type { Logger } from 'pino';
import { chaosPoint } from '../chaos.ts';
import type { Database } from '../database/connect.ts';
import type { DeliveryResult, FeedbackPort } from '../feedback/feedback-port.ts';
import type { FinishedJob } from '../runs/finish-suite-run.ts';
import type { RowKey } from '../runs/row-key.ts';
import { type OutboxRow, renewLease, settle, takeDue } from './outbox-rows.ts';
import type { Loop } from './run-loops.ts';

/** Deliveries at the same time: a slow forge must not hold up verdicts. */
const atOnce = 8;
const longestPauseMs = 600_000;
const askAgainMs = 500;

type OutboxOptions = {
  database: Database;
  replica: string;
  /** How long a delivery stays with a replica that has gone silent. */
  leaseMs: number;
  /** Null: no App is configured. */
  feedback: FeedbackPort | null;
  finish: (suiteRun: { tenantId: string; suiteRunId: string }) => Promise<FinishedJob>;
  onCompleted: (run: RowKey) => void;
  log: Logger;
};

/** Carries out what the ledger wants done outside of it: verdicts of ended suite runs, checks and comments. */
export function outbox(options: OutboxOptions): Loop {
  return {
    name: 'outbox',
    every: ({ taken = 0 }) => (taken >= atOnce ? 0 : 1000),
    run: async () => {
      const rows = await takeDue(options.database, options, atOnce);
      const states = await Promise.all(rows.map((row) => deliver(row, options)));
      return { taken: rows.length, parked: states.filter((state) => state === 'parked').length };
    },
  };
}

async function deliver(row: OutboxRow, options: OutboxOptions): Promise<string> {
  const { database, leaseMs, log } = options;
  // A renewal that fails costs at most that another replica delivers too, which changes nothing.
  const renew = () =>
    void renewLease(database, options, row).catch((error: unknown) => log.debug({ error }, 'A lease was not renewed'));
  const keep = setInterval(renew, leaseMs / 3);
  let result: DeliveryResult;
  try {
    result = await carryOut(row, options);
  } catch (error) {
    log.warn({ error, kind: row.kind, runId: row.runId }, 'A delivery failed and will be repeated');
    const afterMs = Math.min(1000 * 2 ** Math.min(row.tries, 20), longestPauseMs) * (0.8 + 0.4 * Math.random());
    result = { state: 'retry', reason: reasonOf(error), afterMs };
  } finally {
    clearInterval(keep);
  }
  await settle(database, options, row, result);
  return result.state;
}

async function carryOut(row: OutboxRow, { feedback, finish, onCompleted }: OutboxOptions): Promise<DeliveryResult> {
  if (row.kind !== 'finish-suite-run') {
    if (feedback === null) return { state: 'parked', reason: 'no App is configured' };
    const delivered = await feedback.deliver({ ...row, kind: row.kind });
    await chaosPoint('after_forge_write_before_mark');
    return delivered;
  }
  if (row.suiteRunId === null) return { state: 'parked', reason: 'the job names no suite run' };
  const { state, completedRun } = await finish({ tenantId: row.tenantId, suiteRunId: row.suiteRunId });
  if (completedRun !== null) onCompleted({ tenantId: completedRun.tenantId, id: completedRun.runId });
  if (state === 'waiting') return { state: 'retry', reason: 'the other side still runs', afterMs: askAgainMs };
  return { state: 'done', externalId: null };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
}
