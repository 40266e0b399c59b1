import type { EntityManager } from '@mikro-orm/postgresql';
import type { Ending } from '@proofmark/domain/suite-run';
import { sql } from 'kysely';
import { keysOf, type RowKey } from '../database/row-key.ts';
import { endSuiteRuns, type FinishedSuiteRun } from './count-results.ts';

/**
 * Decides that the suite runs, which the transaction holds locked, end, however much of them is open. From then on nothing
 * of them is claimed, recorded or published, and their totals are final; the rows of what did not run are written by
 * `writeEnded`. Returns those that have ended with this: the cancelled ones, and where nothing was open.
 */
export async function decideEnds(
  em: EntityManager,
  keys: readonly RowKey[],
  ending: Ending,
): Promise<FinishedSuiteRun[]> {
  if (keys.length === 0) return [];
  const isError = ending.closing.status === 'error';
  const { rows } = await sql<RowKey & { open: number }>`
    with open as (
      select tenant_id, id, total_cases - passed_cases - failed_cases - skipped_cases as count from test_suite_runs
      where (tenant_id, id) in ${keysOf(keys)} and status in ('pending', 'running') and ending is null)
    update test_suite_runs r
    set ending = ${JSON.stringify(ending)}, unwritten_cases = o.count,
      failed_cases = r.failed_cases + case when ${isError} then o.count else 0 end,
      errored_cases = r.errored_cases + case when ${isError} then o.count else 0 end,
      skipped_cases = r.skipped_cases + case when ${isError} then 0 else o.count end
    from open o where r.tenant_id = o.tenant_id and r.id = o.id
    returning r.tenant_id as "tenantId", r.id, o.count as open`.execute(em.getKysely());
  // A cancel also ends what somebody has decided to end otherwise.
  const over = ending.status === 'cancelled' ? keys : rows.filter(({ open }) => open === 0);
  return await endSuiteRuns(em, over, ending);
}
