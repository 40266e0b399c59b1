import { doubledPauseMs } from '@proofmark/domain/retry-policy';
import type { Logger } from 'pino';
import type { AlertRow } from '../alerts/deliver-alert.ts';
import { chaosPoint } from '../database/chaos.ts';
import type { RowKey } from '../database/row-key.ts';
import type { Database } from '../database/transactions.ts';
import type { DeliveryResult, FeedbackPort } from '../feedback/feedback-port.ts';
import { longestTurnMs } from '../feedback/write-pace.ts';
import type { FinishedJob } from '../judging/finish-suite-run.ts';
import { type OutboxRow, renewLease, settleEntry, takeAlerts, takeDeliveries, takeVerdicts } from './outbox-rows.ts';
import type { Loop } from './run-loops.ts';

const longestPauseMs = 600_000;
/** What was taken so often without an end will have none. */
const mostTries = 10;

type SuiteRun = { tenantId: string; suiteRunId: string };

/** Whose connections a lane works with, and on how many rows at the same time. */
interface LaneRoom {
  database: Database;
  atOnce: number;
}

export type OutboxOptions = {
  verdicts: LaneRoom;
  deliveries: LaneRoom;
  alerts: LaneRoom;
  replica: string;
  /** How long a delivery stays with a replica that has gone silent. */
  leaseMs: number;
  /** Between two writes of one installation. */
  writeIntervalMs: number;
  /** Null: no App is configured. */
  feedback: Pick<FeedbackPort, 'deliver'> | null;
  tellAlert: (row: AlertRow, signal: AbortSignal) => Promise<DeliveryResult>;
  finish: (suiteRun: SuiteRun) => Promise<FinishedJob>;
  /** Ends a suite that cannot be judged, and says why. */
  giveUp: (suiteRun: SuiteRun, why: string) => Promise<FinishedJob>;
  onCompleted: (run: RowKey) => void;
  /** A lane has room again. */
  wake: (lane: string) => void;
  log: Pick<Logger, 'warn' | 'error' | 'debug'>;
};

/**
 * Carry out what the ledger wants done outside of it, in three lanes: verdicts of ended suite runs never wait for a forge, nor
 * alerts for either, and what a forge wants to wait for is not due.
 */
export function outbox(options: OutboxOptions): Loop[] {
  const { verdicts, deliveries, alerts, writeIntervalMs } = options;
  return [
    lane('verdicts', {
      ...{ ...verdicts, options, carryOut: judge },
      take: (room) => takeVerdicts(verdicts.database, options, room),
    }),
    lane('deliveries', {
      ...{ ...deliveries, options, carryOut: tell },
      take: (room) =>
        takeDeliveries(deliveries.database, options, { ...room, longestTurnMs: longestTurnMs(writeIntervalMs) }),
    }),
    lane('alerts', {
      ...{ ...alerts, options, carryOut: tellAlert },
      take: (room) => takeAlerts(alerts.database, options, room),
    }),
  ];
}

interface Lane extends LaneRoom {
  options: OutboxOptions;
  take: (room: { limit: number; isIdle: boolean }) => Promise<OutboxRow[]>;
  carryOut: (row: OutboxRow, options: OutboxOptions, signal: AbortSignal) => Promise<DeliveryResult>;
}

/** A pass begins what there is room for and waits for none of it: a slow row holds up nobody but itself. */
function lane(name: string, of: Lane): Loop {
  const running = new Set<Promise<void>>();
  let isAlone = false;
  let parked = 0;
  const begin = (row: OutboxRow, signal: AbortSignal) => {
    isAlone = row.wasLeft;
    const working: Promise<void> = work(row, of, signal)
      .then((state) => {
        if (state === 'parked') parked += 1;
      })
      .catch((error: unknown) => of.options.log.warn({ error, runId: row.runId }, 'What came of a row was not stored'))
      .finally(() => {
        running.delete(working);
        isAlone = false;
        of.options.wake(name);
      });
    running.add(working);
  };
  return {
    name,
    every: 1000,
    run: async (signal) => {
      const limit = isAlone ? 0 : of.atOnce - running.size;
      const rows = limit > 0 ? await of.take({ limit, isIdle: running.size === 0 }) : [];
      for (const row of rows) begin(row, signal);
      const counts = { taken: rows.length, parked };
      parked = 0;
      return counts;
    },
    settled: async () => {
      await Promise.all(running);
    },
  };
}

async function work(
  row: OutboxRow,
  { database, options, carryOut }: Lane,
  signal: AbortSignal,
): Promise<DeliveryResult['state']> {
  const { leaseMs, log } = options;
  // A renewal that fails costs at most that another replica delivers too, which changes nothing.
  const renew = () =>
    void renewLease(database, options, row).catch((error: unknown) => log.debug({ error }, 'A lease was not renewed'));
  const keep = setInterval(renew, leaseMs / 3);
  let result: DeliveryResult;
  try {
    result = await carryOut(row, options, signal);
  } catch (error) {
    log.warn({ error, kind: row.kind, runId: row.runId }, 'A delivery failed and will be repeated');
    const afterMs = doubledPauseMs(1_000, row.tries, longestPauseMs) * (0.8 + 0.4 * Math.random());
    // Whoever reads alerts is not to read of hosts and ports.
    const reason = row.kind === 'alert' ? 'the coordinator failed at it, and its log says why' : reasonOf(error);
    result = { state: 'retry', reason, afterMs };
  } finally {
    clearInterval(keep);
  }
  await settleEntry(database, options, row, result);
  return result.state;
}

async function judge(
  row: OutboxRow,
  { finish, giveUp, onCompleted, wake, log }: OutboxOptions,
): Promise<DeliveryResult> {
  if (row.suiteRunId === null) return { state: 'parked', reason: 'the job names no suite run' };
  const suiteRun = { tenantId: row.tenantId, suiteRunId: row.suiteRunId };
  const why = row.tries < mostTries ? null : `${row.tries} attempts came to no end`;
  if (why !== null) log.error({ ...suiteRun, runId: row.runId, reason: why }, 'A suite run is not judged any more');
  const { completedRun, alerts } = await (why === null ? finish(suiteRun) : giveUp(suiteRun, why));
  // Whoever watches the log is told, also of runs that belong to no pull request.
  for (const alert of alerts) log.warn(alert, 'A suite is worse than its alert rule allows');
  wake('alerts');
  if (completedRun !== null) onCompleted({ tenantId: completedRun.tenantId, id: completedRun.runId });
  // Where another side still runs, its own job comes when it ends, and judges both.
  return why === null ? { state: 'done', externalId: null } : { state: 'parked', reason: why, isFinal: true };
}

async function tell(row: OutboxRow, { feedback, log }: OutboxOptions, signal: AbortSignal): Promise<DeliveryResult> {
  const { kind, runId } = row;
  if (kind === 'finish-suite-run' || kind === 'alert' || runId === null)
    throw new Error(`${kind} is nothing that is shown on a commit`);
  if (feedback === null) return { state: 'parked', reason: 'no App is configured' };
  if (isHopeless(row)) return giveUpDelivery(row, log);
  const delivered = await feedback.deliver({ ...row, kind, runId }, signal);
  await chaosPoint('after_forge_write_before_mark');
  return delivered;
}

async function tellAlert(row: OutboxRow, options: OutboxOptions, signal: AbortSignal): Promise<DeliveryResult> {
  const { tenantId, alertId } = row;
  if (alertId === null) throw new Error('the row names no alert');
  if (isHopeless(row)) return giveUpDelivery(row, options.log);
  const result = await options.tellAlert({ ...row, alertId }, signal);
  if (result.state === 'retry' && result.detail !== undefined) {
    const { reason, detail } = result;
    options.log.warn({ tenantId, alertId, reason, detail }, 'A channel was not told and will be tried again');
  }
  return result;
}

const isHopeless = ({ wasLeft, tries }: OutboxRow): boolean => wasLeft && tries >= mostTries;

function giveUpDelivery({ kind, runId, tenantId, tries }: OutboxRow, log: OutboxOptions['log']): DeliveryResult {
  log.error({ kind, runId, tenantId }, 'A delivery that ended its coordinators is given up');
  return { state: 'parked', reason: `${tries} attempts came to no end`, isFinal: true };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
}
