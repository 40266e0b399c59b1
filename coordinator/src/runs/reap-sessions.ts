import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { chaosPoint } from '../chaos.ts';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeQueued } from './close-leases.ts';
import { type FinishedSuiteRun, finishEmptySuiteRuns } from './count-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { noteHolder } from './pass-fence.ts';
import { type RowKey, uniqueKeys } from './row-key.ts';

export interface Reaped {
  /** Sessions whose time was up. */
  expired: number;
  /** Test runs that are queued again. */
  requeued: number;
  /** Test runs that took three runners with them and are `error/lost` now. */
  poisoned: number;
  finishedSuiteRuns: FinishedSuiteRun[];
}

const batch = 1_000;
const poisonAfterCrashes = 3;

/**
 * Takes the test runs of silent and closed sessions back. Only a session that expired counts as a crash. A claim that
 * raced with an earlier pass is found by the next one.
 */
export async function reapSessions(database: Database): Promise<Reaped> {
  const { expired, requeued } = await retryConflicts(() => asWorker(database, requeueLost));
  if (requeued > 0) await chaosPoint('after_reap_commit');
  const poison = await retryConflicts(() => asWorker(database, closePoison));
  return { expired, requeued: requeued - poison.fresh, ...poison.done };
}

async function requeueLost(em: EntityManager): Promise<{ expired: number; requeued: number }> {
  const kysely = em.getKysely();
  const gone = await sql`
    with gone as (
      select id from runner_sessions where state = 'open' and lease_until < now() order by id for update skip locked)
    update runner_sessions s set state = 'expired' from gone where s.id = gone.id returning s.id`.execute(kysely);
  const lost = await sql`
    with lost as (
      select l.tenant_id, l.test_run_id, s.state as why from test_run_leases l
      join runner_sessions s on s.id = l.session_id
      where l.state = 'leased' and s.state <> 'open'
      order by l.test_run_id limit ${batch} for update of l skip locked)
    update test_run_leases l
    set state = 'queued', past_holders = ${noteHolder}, session_id = null, publish_gen = l.publish_gen + 1, published_at = null,
      crash_count = l.crash_count + (lost.why = 'expired')::int
    from lost where l.tenant_id = lost.tenant_id and l.test_run_id = lost.test_run_id
    returning l.test_run_id`.execute(kysely);
  return { expired: gone.rows.length, requeued: lost.rows.length };
}

interface PoisonRow {
  tenantId: string;
  suiteRunId: string;
  testRunId: string;
}

/** Also finds what an earlier pass queued and did not live to close. */
async function closePoison(
  em: EntityManager,
): Promise<{ fresh: number; done: Pick<Reaped, 'poisoned' | 'finishedSuiteRuns'> }> {
  const { rows } = await sql<PoisonRow>`
    select tenant_id as "tenantId", suite_run_id as "suiteRunId", test_run_id as "testRunId" from test_run_leases
    where state = 'queued' and crash_count >= ${poisonAfterCrashes} limit ${batch}`.execute(em.getKysely());
  if (rows.length === 0) return { fresh: 0, done: { poisoned: 0, finishedSuiteRuns: [] } };
  const suiteRuns: RowKey[] = uniqueKeys(rows.map(({ tenantId, suiteRunId }) => ({ tenantId, id: suiteRunId })));
  await lockSuiteRuns(em, suiteRuns);
  const poison = rows.map(({ tenantId, testRunId }) => ({ tenantId, id: testRunId }));
  const open = await closeQueued(em, poison, {
    status: 'error',
    errorKind: 'lost',
    errorMessage: `The runner crashed ${poisonAfterCrashes} times while it had this test run`,
  });
  const finishedSuiteRuns = await finishEmptySuiteRuns(em, open);
  return { fresh: rows.length, done: { poisoned: rows.length, finishedSuiteRuns } };
}
