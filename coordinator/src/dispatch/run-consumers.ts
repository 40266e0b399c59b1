import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { workStream } from '@proofmark/contracts/subjects';
import type { RowKey } from '../runs/row-key.ts';
import type { Broker } from './connect-nats.ts';
import { orMissing, runConsumerConfig, type WorkRoute } from './streams.ts';

const drainBatch = 256;
const drainPasses = 1000;

/** Makes the consumer of a run; nothing happens when it is there. Only the coordinator makes consumers, never a runner. */
export async function ensureRunConsumer(jsm: JetStreamManager, route: WorkRoute, run: RowKey): Promise<void> {
  await jsm.consumers.add(workStream(route.pool), runConsumerConfig(route, run));
}

/**
 * Takes what waits for a run out of the stream and removes its consumer. While runners still hold messages it stays, so
 * that they come back to it and are drained by a later pass; false then. A filtered purge would be quicker, but servers
 * of the 2.9 line lose other messages by it.
 */
export async function dropRunConsumer(
  { js, jsm }: { js: JetStreamClient; jsm: JetStreamManager },
  pool: string,
  runId: string,
): Promise<boolean> {
  const stream = workStream(pool);
  for (let pass = 0; pass < drainPasses; pass++) {
    const info = await orMissing(jsm.consumers.info(stream, runId));
    if (info === null) return true;
    if (info.num_pending === 0) {
      if (info.num_ack_pending > 0) return false;
      await orMissing(jsm.consumers.delete(stream, runId));
      return true;
    }
    // No room for more unacknowledged messages: fetching would wait in vain.
    if (info.num_ack_pending >= (info.config.max_ack_pending ?? drainBatch)) return false;
    await drainOnce(js, stream, runId, Math.min(info.num_pending, drainBatch));
  }
  return false;
}

async function drainOnce(js: JetStreamClient, stream: string, runId: string, count: number): Promise<void> {
  const consumer = await js.consumers.get(stream, runId);
  const messages = await consumer.fetch({ max_messages: count, expires: 1000 });
  for await (const message of messages) message.ack();
}

/** How many messages of a run the broker holds, delivered or not; none when its consumer is gone. */
export async function countWaiting({ jsm }: Broker, pool: string, runId: string): Promise<number> {
  const info = await orMissing(jsm.consumers.info(workStream(pool), runId));
  return info === null ? 0 : info.num_pending + info.num_ack_pending;
}
