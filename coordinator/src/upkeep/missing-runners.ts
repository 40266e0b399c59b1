import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { serves } from '../ledger/fleet.ts';
import { bumpFeedback } from '../ledger/want-feedback.ts';
import type { Loop } from './run-loops.ts';

const runsOfPass = 100;

/**
 * Notes which active runs wait for a pool that has no runner, and has checks and comment say so. Not in their first moments,
 * because a runner may be about to start, and a note that comes and goes tells nobody anything.
 */
export function missingRunners(
  database: Database,
  { patienceMs, wake }: { patienceMs: number; wake: () => void },
): Loop {
  return {
    name: 'missing-runners',
    every: Math.min(patienceMs, 5_000),
    run: async () => {
      const changed = await asWorker(database, async (em) => {
        const { rows } = await sql<RowKey>`
          with seen as (
            select r.tenant_id, r.id, r.pools_without_runners as before, coalesce(m.pools, '{}') as pools
            from runs r left join lateral (
              select array_agg(distinct s.pool order by s.pool) as pools from test_suite_runs s
              where s.tenant_id = r.tenant_id and s.run_id = r.id and case
                when s.status in ('pending', 'running') and s.ending is null
                then not exists (select from runner_sessions o where ${serves(sql`o`, sql`s.pool`)})
                -- Of what has ended, it is said what it waited for until then.
                else s.pool = any(r.pools_without_runners) end) m on true
            where r.status in ('pending', 'running')
              and r.created_at + ${patienceMs} * interval '1 millisecond' < now())
          update runs r set pools_without_runners = s.pools from (
            select * from seen where before <> pools order by id limit ${runsOfPass}) s
          where r.tenant_id = s.tenant_id and r.id = s.id and r.status in ('pending', 'running')
          returning r.tenant_id as "tenantId", r.id`.execute(em.getKysely());
        for (const run of rows) await bumpFeedback(em, run);
        return rows.length;
      });
      if (changed > 0) wake();
      return { changed };
    },
  };
}
