import { lookForLost } from '@proofmark/domain/repair';
import type { Database } from '../database/transactions.ts';
import type { Broker } from '../dispatch/connect-nats.ts';
import { countWaiting } from '../dispatch/topology.ts';
import { publishedBacklog, republish } from '../ledger/publishing.ts';
import type { Loop } from './run-loops.ts';

type RepublisherOptions = {
  database: Database;
  broker: Broker;
  pool: string;
  everyMs: number;
  onRepublished: () => void;
};

/**
 * Finds out when the broker holds less than the ledger has published, in two checks running, and has those chunks published
 * again. A wrong guess costs a message, which the claim absorbs. A long backlog alone is no reason.
 */
export function republisher({ database, broker, pool, everyMs, onRepublished }: RepublisherOptions): Loop {
  let isSuspect = false;
  return {
    name: 'republisher',
    every: everyMs,
    run: async () => {
      const published = await publishedBacklog(database, pool);
      const waiting = published > 0 ? await countWaiting(broker, pool) : 0;
      const found = lookForLost(isSuspect, { published, waiting });
      isSuspect = found.isSuspect;
      const republished = found.republish ? await republish(database, pool) : 0;
      if (republished > 0) onRepublished();
      return { suspects: found.isSuspect ? 1 : 0, republished };
    },
  };
}
