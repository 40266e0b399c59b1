import type { ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { ActiveRun } from '@proofmark/contracts/control-messages';
import { workStream } from '@proofmark/contracts/subjects';
import type { Logger } from 'pino';
import { pauseOrStop } from '../retry/pause.ts';
import type { FairSlots, Slot, WaitingRoom } from '../slots/fair-slots.ts';
import { MessageReader } from './message-reader.ts';

const mostPrefetched = 4;
/** A message that waits longer than this for a slot, or for room, goes back: another runner may be idle. */
const slotPatienceMs = 1_000;
const gatherMs = 2;
const gathered = 16;
const idleHeartbeatMs = 5_000;
const reopenMs = 500;
const workingMs = 10_000;

/** A message with the slot that its test runs will use. */
export interface SlottedMessage {
  message: JsMsg;
  slot: Slot;
}

export interface WorkLoopOptions {
  js: JetStreamClient;
  pool: string;
  run: ActiveRun;
  slots: FairSlots;
  /** Says whether more of the run may be begun, when cases of it wait. */
  room: WaitingRoom;
  /** Resolves when new test runs may be claimed. */
  whenOpen: (signal: AbortSignal) => Promise<void>;
  /** Takes over the messages and the slots. Never rejects. */
  take: (batch: readonly SlottedMessage[]) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

/** Offers the work of one run to this process until the signal is aborted. A consumer that is not there yet, or hangs, is opened again. */
export async function consumeRun(options: WorkLoopOptions): Promise<void> {
  const { js, pool, run, slots, signal, log } = options;
  const prefetched = Math.min(mostPrefetched, slots.total);
  while (!signal.aborted) {
    try {
      const consumer = await js.consumers.get(workStream(pool), run.runId);
      const messages = await consumer.consume({ max_messages: prefetched, idle_heartbeat: idleHeartbeatMs });
      await readUntilStuck(messages, options);
    } catch (error) {
      if (!signal.aborted) log.debug({ runId: run.runId, error }, 'The work of a run cannot be read at the moment');
    }
    await pauseOrStop(reopenMs, signal);
  }
}

async function readUntilStuck(messages: ConsumerMessages, options: WorkLoopOptions): Promise<void> {
  const state = { isWaiting: false };
  const close = (): void => void messages.close();
  options.signal.addEventListener('abort', close, { once: true });
  const watching = closeWhenSilent(messages, state);
  try {
    const reader = new MessageReader(messages);
    for (;;) {
      state.isWaiting = true;
      const first = await reader.next();
      state.isWaiting = false;
      if (!first) return;
      await offer(first, reader, options);
    }
  } finally {
    options.signal.removeEventListener('abort', close);
    await messages.close();
    await watching;
  }
}

/** Consumers can hang after a reconnect. Silence while this loop is busy means nothing: then nothing is asked for either. */
async function closeWhenSilent(messages: ConsumerMessages, state: { isWaiting: boolean }): Promise<void> {
  for await (const status of messages.status()) {
    const isGone =
      status.type === 'consumer_deleted' || status.type === 'consumer_not_found' || status.type === 'stream_not_found';
    const isSilent = status.type === 'heartbeats_missed' && state.isWaiting;
    if (isGone || isSilent) await messages.close();
  }
}

/** Waits a little for a slot, gathers what else of the run is there and fits, and hands it over without waiting for its end. */
async function offer(first: JsMsg, reader: MessageReader, options: WorkLoopOptions): Promise<void> {
  const { run, slots, room, whenOpen, take, signal } = options;
  const alive = setInterval(() => first.working(), workingMs);
  try {
    const hasRoom = await room.hasRoomWithin(run.runId, slotPatienceMs, signal);
    const slot = hasRoom ? await slots.acquireWithin(slotPatienceMs, signal) : undefined;
    if (!slot) return first.nak();
    const batch: SlottedMessage[] = [{ message: first, slot }];
    try {
      await whenOpen(signal);
      await gather(batch, reader, options);
    } catch (error) {
      for (const { slot: unused } of batch) unused.release();
      throw error;
    }
    void take(batch);
  } catch (error) {
    first.nak();
    throw error;
  } finally {
    clearInterval(alive);
  }
}

async function gather(
  batch: SlottedMessage[],
  reader: MessageReader,
  { run, slots, room }: WorkLoopOptions,
): Promise<void> {
  const until = performance.now() + gatherMs;
  while (batch.length < gathered && room.hasRoom(run.runId)) {
    const slot = slots.tryAcquire();
    if (!slot) return;
    const message = await reader.nextWithin(Math.max(0, until - performance.now()));
    if (!message) {
      slot.release();
      return;
    }
    batch.push({ message, slot });
  }
}
