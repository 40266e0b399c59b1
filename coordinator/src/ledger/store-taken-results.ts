import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Columns, unnest } from '../database/unnest.ts';
import { outcomeColumns } from './incoming-results.ts';
import { type NewTestRun, planColumns, type TakenResult } from './new-test-run.ts';

/** A test run whose result is there already. */
export type TakenTestRun = NewTestRun & { taken: TakenResult };

const columns: Columns<TakenTestRun> = {
  id: { type: 'uuid', of: ({ id }) => id },
  run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  source_id: { type: 'uuid', of: ({ taken }) => taken.id },
  ...planColumns,
};

const list = (prefix: string, names: Columns<never>) =>
  sql.join(Object.keys(names).map((name) => sql.ref(`${prefix}.${name}`)));
const plain = (names: Columns<never>) => sql.join(Object.keys(names).map((name) => sql.ref(name)));

/** Writes the results once more under the test runs of this run, with all that a page or a further look needs of them. */
export async function storeTakenResults(
  em: EntityManager,
  { tenantId, runId, batch }: { tenantId: string; runId: string; batch: readonly TakenTestRun[] },
): Promise<void> {
  const kysely = em.getKysely();
  await sql`
    insert into test_case_results (tenant_id, id, run_id, attempt, ${plain(planColumns)}, ${plain(outcomeColumns)})
    select ${tenantId}::uuid, t.id, t.run_id, c.attempt, ${list('t', planColumns)}, ${list('c', outcomeColumns)}
    from ${unnest(batch, columns, 't')} join test_case_results c on c.tenant_id = ${tenantId} and c.id = t.source_id`.execute(
    kysely,
  );
  await sql`
    insert into planned_test_runs (tenant_id, run_id, test_run_id, suite_run_id, setting_hash, case_content_hash, seed,
      ${plain(planColumns)})
    select ${tenantId}::uuid, ${runId}::uuid, t.id, t.run_id, p.setting_hash, p.case_content_hash, p.seed,
      ${list('t', planColumns)}
    from ${unnest(batch, columns, 't')}
    join planned_test_runs p on p.tenant_id = ${tenantId} and p.test_run_id = t.source_id`.execute(kysely);
  await sql`
    insert into test_case_payloads (tenant_id, id, outcome)
    select ${tenantId}::uuid, t.id, p.outcome
    from ${unnest(batch, columns, 't')} join test_case_payloads p on p.tenant_id = ${tenantId} and p.id = t.source_id`.execute(
    kysely,
  );
}
