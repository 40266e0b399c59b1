import type { EntityManager } from '@mikro-orm/postgresql';
import type { Closing } from '@proofmark/domain/suite-run';
import { sql } from 'kysely';
import { keysOf, type RowKey, uniqueKeys } from '../database/row-key.ts';
import { goesOn } from './claim-chunks.ts';
import { countResults, type FinishedSuiteRun, finishEmptySuiteRuns } from './count-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { writeRows } from './write-rows.ts';

/** SQL that joins the open test runs of the chunk `c` as `m (test_run_id, n)`; their places are n - 1. */
export const openMembers = sql`
  cross join lateral (
    select u.test_run_id, u.n from unnest(c.members) with ordinality u(test_run_id, n)
    where (c.settled >> (u.n - 1)::int) & 1 = 0) m`;

/**
 * Ends what is open of queued chunks the way results are recorded. A suite run that ends as a whole is left to those who
 * write its rows.
 */
export async function closeChunks(
  em: EntityManager,
  chunks: readonly RowKey[],
  closing: Closing,
): Promise<{ closed: number; finishedSuiteRuns: FinishedSuiteRun[] }> {
  if (chunks.length === 0) return { closed: 0, finishedSuiteRuns: [] };
  const kysely = em.getKysely();
  const suiteRuns = await sql<RowKey>`
    select distinct c.tenant_id as "tenantId", s.id from chunks c
    cross join lateral (values (c.suite_run_id), (c.base_suite_run_id)) s(id)
    where (c.tenant_id, c.id) in ${keysOf(chunks)} and s.id is not null`.execute(kysely);
  await lockSuiteRuns(em, uniqueKeys(suiteRuns.rows));
  const { rows } = await writeRows(sql`
    chosen as (
      select c.* from chunks c where (c.tenant_id, c.id) in ${keysOf(chunks)} and c.state = 'queued' and ${goesOn}
      order by c.id for update),
    lost as (
      select c.tenant_id, c.id as chunk_id, c.attempt, m.test_run_id, (m.n - 1)::int as at,
        ${JSON.stringify(closing)}::jsonb as closing
      from chosen c ${openMembers})`).execute(kysely);
  const open = await countResults(em, rows);
  return { closed: rows.length, finishedSuiteRuns: await finishEmptySuiteRuns(em, open) };
}
