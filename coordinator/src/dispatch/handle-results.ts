import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import { chaosPoint } from '../chaos.ts';
import type { Database } from '../database/connect.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import { type RecordedResults, recordResults } from '../runs/record-results.ts';
import { storeDeadLetter } from './dead-letters.ts';
import { type ReadResult, readResultMessage } from './read-result-message.ts';
import type { OwnerOf } from './session-owners.ts';

const laterMs = 30_000;
/** An hour of waiting for a coordinator that understands a newer message. */
const mostLater = 120;
const mostFailures = 5;
const ledgerRetryMs = 1000;

export interface ResultCounts {
  recorded: number;
  late: number;
  dead: number;
}

export type HandleResultsOptions = {
  database: Database;
  ownerOf: OwnerOf;
  log: Logger;
  onRecorded: (recorded: RecordedResults) => void;
  count: (counts: Partial<ResultCounts>) => void;
  signal: AbortSignal;
};

interface Valid extends ReadResult {
  from: JsMsg;
}

/** Stores a batch of result messages, then acknowledges them. What nobody can process is kept aside and never stops the rest. */
export async function handleResults(batch: readonly JsMsg[], options: HandleResultsOptions): Promise<void> {
  for (;;) {
    try {
      await handleOnce(batch, options);
      return;
    } catch (error) {
      if (!isLedgerDown(error) || options.signal.aborted) throw error;
      options.log.warn({ error }, 'Results wait for the ledger');
      for (const message of batch) message.working();
      await pause(ledgerRetryMs);
    }
  }
}

async function handleOnce(batch: readonly JsMsg[], options: HandleResultsOptions): Promise<void> {
  const valid: Valid[] = [];
  for (const from of batch) {
    const result = await sortOut(from, options);
    if (result !== null) valid.push(result);
  }
  if (valid.length === 0) return;
  try {
    await record(valid, options);
  } catch (error) {
    if (isLedgerDown(error)) throw error;
    options.log.error({ error }, 'A batch of results cannot be stored; trying each of its messages alone');
    for (const one of valid) await recordAlone(one, options);
  }
}

async function sortOut(from: JsMsg, options: HandleResultsOptions): Promise<Valid | null> {
  const read = readResultMessage(from.subject, from.data);
  if (read.kind === 'later' && from.info.deliveryCount <= mostLater) {
    options.log.warn({ subject: from.subject }, 'A result of a newer version waits');
    from.nak(laterMs);
    return null;
  }
  if (read.kind !== 'results') {
    await bury(from, read.kind === 'never' ? read.reason : 'unknown version', options);
    return null;
  }
  const owner = await options.ownerOf(read.message.sessionId);
  if (owner === read.runnerId) return { ...read, from };
  await bury(from, owner === null ? 'unknown session' : 'the session belongs to another runner', options);
  return null;
}

async function record(valid: readonly Valid[], options: HandleResultsOptions): Promise<void> {
  const recorded = await recordResults(
    options.database,
    valid.map(({ message }) => message),
  );
  await chaosPoint('after_commit_before_ack');
  const unknown = new Set(recorded.unknownTestRunIds);
  for (const { from, message } of valid) {
    if (message.results.some(({ testRunId }) => unknown.has(testRunId))) await bury(from, 'unknown test run', options);
    else from.ack();
  }
  options.count({ recorded: recorded.recorded, late: recorded.late });
  options.onRecorded(recorded);
}

async function recordAlone(one: Valid, options: HandleResultsOptions): Promise<void> {
  try {
    await record([one], options);
  } catch (error) {
    if (isLedgerDown(error)) throw error;
    // Its test run is found again through its lease.
    if (one.from.info.deliveryCount >= mostFailures)
      await bury(one.from, `cannot be stored: ${String(error).slice(0, 500)}`, options);
    else one.from.nak(ledgerRetryMs);
  }
}

async function bury(from: JsMsg, reason: string, { database, log, count }: HandleResultsOptions): Promise<void> {
  log.error({ subject: from.subject, reason }, 'A message that nobody can process was put aside');
  await storeDeadLetter(database, { subject: from.subject, reason, data: from.data });
  from.term(reason);
  count({ dead: 1 });
}
