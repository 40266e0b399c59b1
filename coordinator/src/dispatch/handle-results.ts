import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { chaosPoint } from '../database/chaos.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import { storableText } from '../database/storable.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { type ReadableMessage, type RecordedResults, recordMessages, recordResults } from '../ledger/record-results.ts';
import { asErrors, type ReadResult, readResultMessage } from './read-result-message.ts';
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
  /** Messages of a runner that speaks for an attempt or a session that is not its own. They are among the dead. */
  forged: number;
}

export type HandleResultsOptions = {
  database: Database;
  ownerOf: OwnerOf;
  log: Logger;
  onRecorded: (recorded: RecordedResults) => void;
  count: (counts: Partial<ResultCounts>) => void;
  signal: AbortSignal;
};

interface Handling extends HandleResultsOptions {
  /** Messages that have no answer yet. When the ledger comes back, no other is looked at again. */
  open: Set<JsMsg>;
}

interface Valid extends ReadableMessage {
  from: JsMsg;
  runnerId: string;
}

/** Stores a batch of result messages, then acknowledges them. What nobody can process is kept aside and never stops the rest. */
export async function handleResults(batch: readonly JsMsg[], options: HandleResultsOptions): Promise<void> {
  const open = new Set(batch);
  for (;;) {
    try {
      await handleOnce({ ...options, open });
      return;
    } catch (error) {
      if (!isLedgerDown(error) || options.signal.aborted) throw error;
      options.log.warn({ error }, 'Results wait for the ledger');
      for (const message of open) message.working();
      await pause(ledgerRetryMs);
    }
  }
}

async function handleOnce(options: Handling): Promise<void> {
  const valid: Valid[] = [];
  for (const from of options.open) {
    const result = await sortOut(from, options);
    if (result !== null) valid.push(result);
  }
  if (valid.length === 0) return;
  try {
    await record(valid, options);
  } catch (error) {
    if (isLedgerDown(error)) throw error;
    options.log.error({ error }, 'A batch of results cannot be stored; trying each of its messages alone');
    for (const one of valid) if (options.open.has(one.from)) await recordAlone(one, options);
  }
}

async function sortOut(from: JsMsg, options: Handling): Promise<Valid | null> {
  const read = readResultMessage(from.subject, from.data);
  if (read.kind === 'later' && from.info.deliveryCount <= mostLater) {
    options.log.warn({ subject: from.subject }, 'A result of a newer version waits');
    from.nak(laterMs);
    options.open.delete(from);
    return null;
  }
  if (read.kind === 'never' && read.instead) await endInstead(read.instead, options);
  if (read.kind !== 'results') {
    await bury(from, read.kind === 'never' ? read.reason : 'unknown version', options);
    return null;
  }
  const owner = await options.ownerOf(read.message.sessionId);
  if (owner === read.runnerId) return readable(from, read);
  if (owner === null) await bury(from, 'unknown session', options);
  else await raiseAlarm(from, 'the session belongs to another runner', options);
  return null;
}

/** What was read is handed over and not kept: whoever asks again gets it read again. */
function readable(from: JsMsg, { runnerId, message }: ReadResult): Valid {
  let kept: ResultMessage | null = message;
  const read = () => {
    const found = kept ?? readAgain(from);
    kept = null;
    return found;
  };
  return { from, runnerId, count: message.results.length, read };
}

function readAgain({ subject, data }: JsMsg): ResultMessage {
  const reading = readResultMessage(subject, data);
  if (reading.kind !== 'results') throw new Error(`a message that was a result is ${reading.kind} now`);
  return reading.message;
}

async function record(valid: readonly Valid[], options: Handling): Promise<void> {
  const recorded = await recordMessages(options.database, valid);
  await chaosPoint('after_commit_before_ack');
  for (const [at, { from }] of valid.entries()) {
    const why = new Set(recorded.refused.filter(({ message }) => message === at).map((refused) => refused.why));
    if (why.has('forged')) await raiseAlarm(from, 'the runner does not hold the attempt', options);
    else if (why.has('unknown')) await bury(from, 'unknown test run', options);
    else from.ack();
    options.open.delete(from);
  }
  options.count({ recorded: recorded.recorded, late: recorded.late });
  options.onRecorded(recorded);
}

async function recordAlone(one: Valid, options: Handling): Promise<void> {
  try {
    await record([one], options);
  } catch (error) {
    if (isLedgerDown(error)) throw error;
    if (one.from.info.deliveryCount < mostFailures) one.from.nak(ledgerRetryMs);
    else {
      const message = asErrors(one.read(), 'the ledger does not take it');
      await endInstead({ runnerId: one.runnerId, message }, options);
      await bury(one.from, `cannot be stored: ${String(error).slice(0, 500)}`, options);
    }
    options.open.delete(one.from);
  }
}

/** Ends the test runs of a message that cannot be kept in errors, where they are the sender's. */
async function endInstead({ runnerId, message }: ReadResult, options: Handling): Promise<void> {
  if ((await options.ownerOf(message.sessionId)) !== runnerId) return;
  try {
    const ended = await recordResults(options.database, [message]);
    options.count({ recorded: ended.recorded });
    options.onRecorded(ended);
  } catch (error) {
    if (isLedgerDown(error)) throw error;
    options.log.error({ error }, 'Test runs whose result cannot be kept stay open until the deadline of their run');
  }
}

/** No honest runner sends this: somebody has to look at whoever did. */
async function raiseAlarm(from: JsMsg, reason: string, options: Handling): Promise<void> {
  await bury(from, reason, options);
  options.log.error({ subject: from.subject, reason, security: true }, 'A runner spoke for another');
  options.count({ forged: 1 });
}

async function bury(from: JsMsg, reason: string, { database, log, count, open }: Handling): Promise<void> {
  log.error({ subject: from.subject, reason }, 'A message that nobody can process was put aside');
  await storeDeadLetter(database, { subject: from.subject, reason, data: from.data });
  // Without the reason: a server before 2.10 does not know that form, and would deliver the message again.
  from.term();
  open.delete(from);
  count({ dead: 1 });
}

const keptBytes = 65_536;

/** Keeps a message that nobody can process, cut to 64 KB, for a person to look at. */
async function storeDeadLetter(
  database: Database,
  { subject, reason, data }: { subject: string; reason: string; data: Uint8Array },
): Promise<void> {
  const payload = Buffer.from(data.subarray(0, keptBytes)).toString('utf8');
  await asWorker(database, async (em) => {
    await sql`
      insert into dead_letters (subject, reason, payload)
      values (${storableText(subject)}, ${storableText(reason)}, ${storableText(payload)})`.execute(em.getKysely());
  });
}
