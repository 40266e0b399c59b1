import type { Database } from '../database/transactions.ts';
import { reapSessions } from '../ledger/reap-sessions.ts';
import { beat } from './beats.ts';
import type { Loop } from './run-loops.ts';

type ReaperOptions = {
  database: Database;
  replica: string;
  everyMs: number;
  leaseMs: number;
  isBrokerConnected: () => boolean;
  onRequeued: () => void;
  onFinished: () => void;
};

/**
 * Takes test runs back from silent runners. After a time in which no heartbeat could arrive it waits one lease first: an
 * outage of ours expires no healthy runner.
 */
export function reaper({
  database,
  replica,
  everyMs,
  leaseMs,
  isBrokerConnected,
  onRequeued,
  onFinished,
}: ReaperOptions): Loop {
  let waitUntilMs = 0;
  return {
    name: 'reaper',
    every: everyMs,
    run: async () => {
      // Whom no runner reaches is as good as dead to them: its beat would hide that nobody else is there.
      if (!isBrokerConnected()) {
        waitUntilMs = performance.now() + leaseMs;
        return { waiting: 1 };
      }
      let mustWait: boolean;
      try {
        mustWait = (await beat(database, replica, leaseMs)).mustWait;
      } catch (error) {
        // A ledger that takes no beat takes no heartbeat either.
        waitUntilMs = performance.now() + leaseMs;
        throw error;
      }
      if (mustWait || performance.now() < waitUntilMs) return { waiting: 1 };
      const { expired, requeued, poisoned, finishedSuiteRuns } = await reapSessions(database);
      if (requeued > 0) onRequeued();
      if (finishedSuiteRuns.length > 0) onFinished();
      return { expired, requeued, poisoned };
    },
  };
}
