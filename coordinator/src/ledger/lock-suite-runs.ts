import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { keysOf, type RowKey } from '../database/row-key.ts';

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
