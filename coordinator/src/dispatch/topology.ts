import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import { RESULTS_CONSUMER, RESULTS_STREAM, WORK_CONSUMER, workStream } from '@proofmark/contracts/subjects';
import type { Broker } from './connect-nats.ts';
import {
  ensureStream,
  orMissing,
  resultsConsumerConfig,
  resultsStreamConfig,
  type StreamSettings,
  workConsumerConfig,
  workStreamConfig,
} from './streams.ts';

/**
 * What the broker holds, so that tasks and results can travel: a stream of work for each pool that runners serve, one of
 * results, and a consumer of each. Only coordinators make streams and consumers, never a runner.
 */
export interface Topology {
  /** The pools that this process knows to have a stream. */
  pools: () => readonly string[];
  /** Makes the stream of a pool that has none yet; asks the broker only about pools that are new here. */
  addPool: (pool: string) => Promise<void>;
  /** Makes what is missing of all that there should be, and gives older streams today's settings. */
  repair: () => Promise<TopologyCounts>;
}

interface TopologyCounts {
  made: number;
}

export function makeTopology({ jsm }: Broker, settings: StreamSettings): Topology {
  const known = new Set<string>();
  const ensureConsumer = async (stream: string, name: string, add: () => Promise<unknown>): Promise<TopologyCounts> => {
    if ((await orMissing(jsm.consumers.info(stream, name))) !== null) return { made: 0 };
    await add();
    return { made: 1 };
  };
  const ensurePool = async (pool: string): Promise<TopologyCounts> => {
    const stream = workStream(pool);
    await ensureStream(jsm, workStreamConfig(pool, settings));
    const { made } = await ensureConsumer(stream, WORK_CONSUMER, () =>
      jsm.consumers.add(stream, workConsumerConfig(settings)),
    );
    known.add(pool);
    return { made };
  };
  return {
    pools: () => [...known],
    addPool: async (pool) => {
      if (!known.has(pool)) await ensurePool(pool);
    },
    repair: async () => {
      await ensureStream(jsm, resultsStreamConfig(settings));
      let { made } = await ensureConsumer(RESULTS_STREAM, RESULTS_CONSUMER, () =>
        jsm.consumers.add(RESULTS_STREAM, resultsConsumerConfig(settings)),
      );
      for (const pool of new Set([DEFAULT_POOL, ...known])) made += (await ensurePool(pool)).made;
      return { made };
    },
  };
}

/** How many tasks the broker holds for a pool, delivered or not; none when the consumer is gone. */
export async function countWaiting({ jsm }: Broker, pool: string): Promise<number> {
  const info = await orMissing(jsm.consumers.info(workStream(pool), WORK_CONSUMER));
  return info === null ? 0 : info.num_pending + info.num_ack_pending;
}
