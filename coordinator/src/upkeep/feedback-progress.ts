import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { Loop } from './run-loops.ts';

const mostUpdates = 4;

/** Wants the aggregate check of running runs written anew, at most four times: after 15 s, 1, 4 and 16 minutes by default. */
export function feedbackProgress(database: Database, firstMs: number): Loop {
  return {
    name: 'feedback-progress',
    every: Math.min(firstMs, 5000),
    run: async () =>
      await asWorker(database, async (em) => {
        const { rows } = await sql`
          update outbox o set wanted_version = wanted_version + 1, state = 'due', next_try_at = now(), updated_at = now()
          from runs r
          where r.tenant_id = o.tenant_id and r.id = o.run_id and r.status = 'running'
            and o.kind = 'github-check' and o.state = 'done' and o.subject ->> 'suiteId' is null
            and o.wanted_version <= ${mostUpdates}
            and r.created_at + ${firstMs} * power(4, o.wanted_version - 1) * interval '1 millisecond' < now()
          returning 1`.execute(em.getKysely());
        return { wanted: rows.length };
      }),
  };
}
