import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeOpenOf, type DecidedClosing } from './close-leases.ts';
import { endSuiteRuns, type FinishedSuiteRun } from './count-results.ts';
import { keysOf, type RowKey } from './row-key.ts';

/**
 * Decides that nothing more of these suite runs is done, however large they are. From the commit on nothing of them is
 * claimed or published and no result counts; `closeDecided` then writes the rows. What was decided first stays, unless the
 * suite run was cancelled since.
 */
export async function decideClosing(
  em: EntityManager,
  suiteRuns: readonly RowKey[],
  decided: DecidedClosing,
): Promise<void> {
  if (suiteRuns.length === 0) return;
  await sql`
    update test_suite_runs r set closing = ${JSON.stringify(decided)}::jsonb
    where (r.tenant_id, r.id) in ${keysOf(suiteRuns)} and (r.closing is null or ${decided.end === null})`.execute(
    em.getKysely(),
  );
}

const suiteRunsAtOnce = 20;
/** A batch takes well below a second, and results of other runs go in between. */
const leasesAtOnce = 2_000;

interface Options {
  /** Only what belongs to this run; absent: whatever was decided, in any replica. */
  run?: RowKey;
  /** Absent: until nothing is left to close. */
  mostBatches?: number;
}

/** Closes what was decided, batch by batch, each in a transaction of its own, and ends the suite runs that are through. */
export async function closeDecided(
  database: Database,
  { run, mostBatches = Number.POSITIVE_INFINITY }: Options = {},
): Promise<FinishedSuiteRun[]> {
  const finished: FinishedSuiteRun[] = [];
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const done = await retryConflicts(() => asWorker(database, (em) => closeBatch(em, run)));
    if (done === null) break;
    finished.push(...done);
  }
  return finished;
}

interface ClosingRow extends RowKey {
  closing: DecidedClosing;
}

/** Null: nothing is left to close. */
async function closeBatch(em: EntityManager, run: RowKey | undefined): Promise<FinishedSuiteRun[] | null> {
  const kysely = em.getKysely();
  // Another replica may be at it; who closes one run for an answer waits for it.
  const which = run === undefined ? sql`` : sql`and r.tenant_id = ${run.tenantId} and r.run_id = ${run.id}`;
  const { rows } = await sql<ClosingRow>`
    select r.tenant_id as "tenantId", r.id, r.closing from test_suite_runs r where r.closing is not null ${which}
    order by r.id limit ${suiteRunsAtOnce} for no key update ${run === undefined ? sql`skip locked` : sql``}`.execute(
    kysely,
  );
  if (rows.length === 0) return null;
  await closeOpenOf(em, rows, leasesAtOnce);
  const through = await sql<RowKey>`
    update test_suite_runs r set closing = null
    where (r.tenant_id, r.id) in ${keysOf(rows)} and not exists (
      select 1 from test_run_leases l
      where l.tenant_id = r.tenant_id and l.suite_run_id = r.id and l.state in ('queued', 'leased'))
    returning r.tenant_id as "tenantId", r.id`.execute(kysely);
  const ids = new Set(through.rows.map(({ id }) => id));
  const byEnd = Map.groupBy(
    rows.filter(({ id }) => ids.has(id)),
    ({ closing: { end } }) => JSON.stringify(end),
  );
  const finished: FinishedSuiteRun[] = [];
  for (const together of byEnd.values()) {
    const end = together[0]?.closing.end ?? null;
    if (end !== null) finished.push(...(await endSuiteRuns(em, together, end)));
  }
  return finished;
}
