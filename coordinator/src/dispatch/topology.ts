import { RESULTS_CONSUMER, RESULTS_STREAM, WORK_CONSUMER, workStream } from '@proofmark/contracts/subjects';
import type { Broker } from './connect-nats.ts';
import {
  ensureStream,
  orMissing,
  resultsConsumerConfig,
  resultsStreamConfig,
  type WorkRoute,
  workConsumerConfig,
  workStreamConfig,
} from './streams.ts';

export interface TopologyCounts {
  made: number;
}

/**
 * Makes the broker hold what tasks and results travel by: two streams, and a consumer of each. Only the coordinator makes
 * consumers, never a runner.
 */
export async function ensureTopology({ jsm }: Broker, route: WorkRoute): Promise<TopologyCounts> {
  await ensureStream(jsm, workStreamConfig(route.pool));
  await ensureStream(jsm, resultsStreamConfig());
  let made = 0;
  if ((await orMissing(jsm.consumers.info(workStream(route.pool), WORK_CONSUMER))) === null) {
    await jsm.consumers.add(workStream(route.pool), workConsumerConfig(route));
    made++;
  }
  if ((await orMissing(jsm.consumers.info(RESULTS_STREAM, RESULTS_CONSUMER))) === null) {
    await jsm.consumers.add(RESULTS_STREAM, resultsConsumerConfig(route));
    made++;
  }
  return { made };
}

/** How many tasks the broker holds, delivered or not; none when the consumer is gone. */
export async function countWaiting({ jsm }: Broker, pool: string): Promise<number> {
  const info = await orMissing(jsm.consumers.info(workStream(pool), WORK_CONSUMER));
  return info === null ? 0 : info.num_pending + info.num_ack_pending;
}
