import { hadOutage } from '@proofmark/domain/lifecycle';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import { reapSessions } from '../ledger/reap-sessions.ts';
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

interface Beats {
  silenceMs: number | null;
  isPatient: boolean;
}

/**
 * Notes that this replica lives and that runners reach it. Says whether reapers have to wait: after a time in which no replica
 * was there for heartbeats all of them do so for one lease, also one that came back later than the others.
 */
async function beat(database: Database, replica: string, leaseMs: number): Promise<{ mustWait: boolean }> {
  return await asWorker(database, async (em) => {
    const connection = em.getKysely();
    const { rows } = await sql<Beats>`
      select (extract(epoch from now() - max(beat_at)) * 1000)::float8 as "silenceMs",
        coalesce(max(patient_until) > now(), false) as "isPatient" from coordinator_beats`.execute(connection);
    const { silenceMs, isPatient } = rows[0] ?? { silenceMs: null, isPatient: false };
    const isBack = hadOutage({ silenceMs, leaseMs });
    const patience = isBack ? sql`now() + ${leaseMs} * interval '1 millisecond'` : sql`null`;
    await sql`
      insert into coordinator_beats (id, beat_at, patient_until) values (${replica}, now(), ${patience})
      on conflict (id) do update set beat_at = now(),
        patient_until = coalesce(excluded.patient_until, coordinator_beats.patient_until)`.execute(connection);
    return { mustWait: isBack || isPatient };
  });
}
