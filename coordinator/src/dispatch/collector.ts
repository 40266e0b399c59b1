import { setTimeout as pause } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { RESULTS_CONSUMER, RESULTS_STREAM } from '@proofmark/contracts/subjects';
import type { Logger } from 'pino';
import type { Broker } from './connect-nats.ts';
import { gatherBatches } from './gather-batches.ts';

const prefetched = 200;
const idleHeartbeatMs = 5000;
const reopenMs = 500;
const largestBatch = 500;
/** A batch costs nearly the same, however many results are in it. */
const gatherMs = 40;
const mostResultsOfOne = 16;

export interface Collector extends AsyncDisposable {
  /** When results were last handled or the broker last said that there are none, on the monotonic clock. */
  lastSignMs: () => number;
  /** Whether a batch is being handled. */
  isBusy: () => boolean;
  /** Takes no more messages, finishes the batch at hand, and ends. */
  stop: () => Promise<void>;
}

type CollectorOptions = {
  broker: Broker;
  handle: (batch: readonly JsMsg[]) => Promise<void>;
  log: Logger;
};

/** Reads results for ever, in batches. A consumer that is not there, hangs or was removed is opened again. */
export function startCollector({ broker, handle, log }: CollectorOptions): Collector {
  const state = { lastSignMs: performance.now(), isBusy: false, open: undefined as ConsumerMessages | undefined };
  const stopping = new AbortController();

  const readOnce = async () => {
    const consumer = await broker.js.consumers.get(RESULTS_STREAM, RESULTS_CONSUMER);
    const messages = await consumer.consume({ max_messages: prefetched, idle_heartbeat: idleHeartbeatMs });
    state.open = messages;
    if (stopping.signal.aborted) void messages.close();
    const watching = watch(messages, state);
    for await (const batch of gatherBatches(messages, {
      largest: largestBatch,
      weigh: () => mostResultsOfOne,
      waitMs: gatherMs,
    })) {
      state.isBusy = true;
      await handle(batch);
      state.isBusy = false;
      state.lastSignMs = performance.now();
    }
    await watching;
  };

  const ended = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await readOnce();
      } catch (error) {
        log.warn({ error }, 'Results cannot be read at the moment');
      }
      state.isBusy = false;
      await pause(reopenMs, undefined, { signal: stopping.signal }).catch(() => undefined); // aborted: the loop ends
    }
  })();
  const stop = async () => {
    stopping.abort();
    void state.open?.close();
    await ended;
  };
  return { lastSignMs: () => state.lastSignMs, isBusy: () => state.isBusy, stop, [Symbol.asyncDispose]: stop };
}

/** Closes a consumer that has gone silent, so that it is opened again; its idle heartbeats are signs of life. */
async function watch(messages: ConsumerMessages, state: { lastSignMs: number; isBusy: boolean }): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === 'heartbeat' || type === 'next') state.lastSignMs = performance.now();
    const isGone = type === 'consumer_deleted' || type === 'consumer_not_found' || type === 'stream_not_found';
    // While a batch is handled nothing is asked for, so silence means nothing then.
    if (isGone || (type === 'heartbeats_missed' && !state.isBusy)) void messages.close();
  }
}
