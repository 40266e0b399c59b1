import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { keysOf, keysUncounted, type RowKey } from '../database/row-key.ts';

/**
 * Holds these suite runs until the end of the transaction. Everything that changes chunks or counters comes here first:
 * suite runs by id, then chunks by id, then the run, then the rest is the order that keeps transactions from deadlocks.
 */
export async function lockSuiteRuns(em: EntityManager, keys: readonly RowKey[]): Promise<void> {
  // Not `for update`: that would also stop the foreign keys of rows that merely point here.
  await sql`
    select 1 from test_suite_runs r where (r.tenant_id, r.id) in ${keysOf(keys)} order by r.id for no key update`.execute(
    em.getKysely(),
  );
}

/** The same for the suite runs of these chunks, both sides of pairs. Which they are never changes, so that nothing has to be held yet. */
export async function lockSuiteRunsOf(em: EntityManager, chunks: readonly RowKey[]): Promise<void> {
  await sql`${prepared}
    select 1 from test_suite_runs r where (r.tenant_id, r.id) in (
      select c.tenant_id, s.id from ${keysUncounted(chunks)} k
      cross join lateral (select * from chunks c where c.tenant_id = k.tenant_id and c.id = k.id offset 0) c
      cross join lateral (values (c.suite_run_id), (c.base_suite_run_id)) s(id) where s.id is not null)
    order by r.id for no key update`.execute(em.getKysely());
}
