import type { Database } from '../database/connect.ts';
import type { Broker } from '../dispatch/connect-nats.ts';
import { countWaiting } from '../dispatch/run-consumers.ts';
import { publishedBacklog, republish } from '../runs/publishing.ts';
import type { Loop } from './run-loops.ts';

type RepublisherOptions = {
  database: Database;
  broker: Broker;
  pool: string;
  everyMs: number;
  onRepublished: () => void;
};

/**
 * Finds runs of which the broker holds less than the ledger has published, in two checks running, and has their tasks
 * published again. A wrong guess costs a message, which the claim absorbs. A long backlog alone is no reason.
 */
export function republisher({ database, broker, pool, everyMs, onRepublished }: RepublisherOptions): Loop {
  let suspects = new Set<string>();
  return {
    name: 'republisher',
    every: everyMs,
    run: async () => {
      const missing = new Set<string>();
      let republished = 0;
      for (const { tenantId, runId, published } of await publishedBacklog(database)) {
        if ((await countWaiting(broker, pool, runId)) >= published) continue;
        if (suspects.has(runId)) republished += await republish(database, { tenantId, id: runId });
        else missing.add(runId);
      }
      suspects = missing;
      if (republished > 0) onRepublished();
      return { suspects: missing.size, republished };
    },
  };
}
