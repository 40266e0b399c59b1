import { type RetainedRun, runsToDelete } from '@proofmark/domain/retention';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { RemovalPass } from './take-passes.ts';

/** Rows that go in one statement: a suite run may have a hundred thousand results. */
const largestBatch = 5000;

interface Removed {
  suiteRuns: number;
  results: number;
}

/**
 * Removes the suite runs that are neither recent nor among the newest runs of their suite, with their results. What a
 * suite run that stays was compared with stays too, and so does the newest baseline of every suite and cell.
 */
export async function removeSuiteRuns(database: Database, pass: RemovalPass, signal: AbortSignal): Promise<Removed> {
  const removed = { suiteRuns: 0, results: 0 };
  for (const suiteId of await suitesWithOldRuns(database, pass)) {
    for (const id of await findRemovable(database, pass, suiteId)) {
      if (signal.aborted) return removed;
      removed.results += await removeOne(database, { tenantId: pass.tenantId, id });
      removed.suiteRuns += 1;
    }
  }
  return removed;
}

const endedAt = sql`coalesce(s.completed_at, s.created_at)`;

async function suitesWithOldRuns(database: Database, { tenantId, settings, nowMs }: RemovalPass): Promise<string[]> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ suiteId: string }>`
      select distinct s.suite_id as "suiteId" from test_suite_runs s
      where s.tenant_id = ${tenantId} and ${endedAt} < ${new Date(nowMs)}::timestamptz - ${settings.keepDays} * interval '1 day'`.execute(
      em.getKysely(),
    );
    return rows.map(({ suiteId }) => suiteId);
  });
}

/** The cells and variants of one suite in one run are one run of the suite. */
async function findRemovable(database: Database, pass: RemovalPass, suiteId: string): Promise<string[]> {
  const { tenantId, nowMs, settings } = pass;
  return asWorker(database, async (em) => {
    const kysely = em.getKysely();
    const runs = await sql<RetainedRun>`
      select s.run_id as id, s.suite_id as "suiteId",
        (extract(epoch from min(s.created_at)) * 1000)::float8 as "createdAtMs",
        (extract(epoch from max(s.completed_at)) * 1000)::float8 as "completedAtMs",
        case when bool_or(s.status in ('pending', 'running')) then 'running' else 'completed' end as status
      from test_suite_runs s where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId}
      group by s.run_id, s.suite_id`.execute(kysely);
    const { keepDays, keepRuns } = settings;
    const old = runsToDelete(runs.rows, { nowMs, keepDays, keepRuns });
    const { rows } = await sql<{ id: string }>`
      select s.id from test_suite_runs s
      where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.run_id = any(${old}::uuid[])
        and not exists (
          select 1 from test_suite_runs k where k.tenant_id = s.tenant_id and k.suite_id = s.suite_id
            and k.baseline_suite_run_id = s.id and k.run_id <> all(${old}::uuid[]))
        and s.id not in (
          select distinct on (b.cell_key) b.suite_run_id from baselines b
          where b.tenant_id = ${tenantId} and b.suite_id = ${suiteId} order by b.cell_key, b.created_at desc)
      order by s.created_at, s.id`.execute(kysely);
    return rows.map(({ id }) => id);
  });
}

/** In several transactions: a suite run of which some results are gone already is gone entirely after the next pass. */
async function removeOne(database: Database, { tenantId, id }: { tenantId: string; id: string }): Promise<number> {
  const removeBatch = (table: string, column: string) =>
    retryConflicts(() =>
      asWorker(database, async (em) => {
        const gone = await sql`
          delete from ${sql.table(table)} where ctid = any(array(
            select ctid from ${sql.table(table)}
            where tenant_id = ${tenantId} and ${sql.ref(column)} = ${id} limit ${largestBatch})) returning 1`.execute(
          em.getKysely(),
        );
        return gone.rows.length;
      }),
    );
  const removeAll = async (table: string, column: string): Promise<number> => {
    let total = 0;
    for (let count = largestBatch; count === largestBatch; total += count) count = await removeBatch(table, column);
    return total;
  };
  await removeAll('attempt_usage', 'suite_run_id');
  await removeAll('chunks', 'suite_run_id');
  await removeAll('planned_test_runs', 'suite_run_id');
  await removeAll('case_summaries', 'suite_run_id');
  const results = await removeAll('test_case_results', 'run_id');
  await removeAll('test_suite_runs', 'id');
  return results;
}
