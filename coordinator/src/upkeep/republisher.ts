import { lookForLost } from '@proofmark/domain/lifecycle';
import type { Database } from '../database/transactions.ts';
import type { Broker } from '../dispatch/connect-nats.ts';
import { countWaiting } from '../dispatch/topology.ts';
import { publishedBacklog, republish } from '../ledger/publishing.ts';
import type { Loop } from './run-loops.ts';

type RepublisherOptions = {
  database: Database;
  broker: Broker;
  /** The pools that have a stream. */
  pools: () => readonly string[];
  everyMs: number;
  onRepublished: () => void;
};

/**
 * Finds out when the broker holds less than the ledger has published, in two checks running, and has those chunks published
 * again. A wrong guess costs a message, which the claim absorbs. A long backlog alone is no reason.
 */
export function republisher({ database, broker, pools, everyMs, onRepublished }: RepublisherOptions): Loop {
  let suspects: ReadonlySet<string> = new Set();
  const look = async (pool: string) => {
    const published = await publishedBacklog(database, pool);
    const waiting = published > 0 ? await countWaiting(broker, pool) : 0;
    const found = lookForLost(suspects.has(pool), { published, waiting });
    return { ...found, pool, republished: found.republish ? await republish(database, pool) : 0 };
  };
  return {
    name: 'republisher',
    every: everyMs,
    run: async () => {
      const looks = [];
      for (const pool of pools()) looks.push(await look(pool));
      suspects = new Set(looks.flatMap(({ isSuspect, pool }) => (isSuspect ? [pool] : [])));
      const total = looks.reduce((sum, { republished }) => sum + republished, 0);
      if (total > 0) onRepublished();
      return { suspects: suspects.size, republished: total };
    },
  };
}
