import type { EntityManager } from '@mikro-orm/postgresql';
import type { ClaimRequest } from '@proofmark/contracts/control-messages';
import type { FileContent } from '@proofmark/contracts/file-content';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { keysOf, type RowKey, uniqueKeys } from './row-key.ts';

/** A test run that crashed its runner twice runs with nothing beside it, so that no innocent neighbour is blamed. */
const soloAfterCrashes = 2;
const poisonAfterCrashes = 3;

/** A test run that belongs to the session now. */
export interface ClaimedTestRun {
  testRunId: string;
  attempt: number;
  solo: boolean;
  tenantId: string;
  /** What its runner has to fetch; null when there is nothing. */
  contents: FileContent[] | null;
}

interface ClaimedRow extends ClaimedTestRun {
  suiteRunId: string;
  isFirst: boolean;
}

/**
 * Leases those of the test runs that are still to be done to the session. The same claim id gets the same answer, so a
 * runner whose answer was lost asks again. What is not in the answer is done, cancelled or held by a live session.
 */
export async function claimTestRuns(database: Database, request: ClaimRequest): Promise<{ claimed: ClaimedTestRun[] }> {
  const rows = await retryConflicts(() => asWorker(database, (em) => claim(em, request)));
  const started = uniqueKeys(
    rows.filter(({ isFirst }) => isFirst).map(({ tenantId, suiteRunId }) => ({ tenantId, id: suiteRunId })),
  );
  if (started.length > 0) await retryConflicts(() => asWorker(database, (em) => markRunning(em, started)));
  return { claimed: rows.map(({ suiteRunId: _suiteRunId, isFirst: _isFirst, ...claimed }) => claimed) };
}

async function claim(em: EntityManager, { sessionId, claimId, testRunIds }: ClaimRequest): Promise<ClaimedRow[]> {
  const kysely = em.getKysely();
  // Waits for rows that are locked instead of passing over them: the publisher marks a row at about the moment
  // at which its task arrives, and a test run that is passed over here is delivered to nobody again.
  // `is true` and the subqueries keep the planner on the index of the ids; it knows nothing yet about rows this young.
  await sql`
    with pick as (
      select l.tenant_id, l.test_run_id from test_run_leases l
      where l.test_run_id = any(${testRunIds}::uuid[]) and (l.state = 'queued') is true
        and l.crash_count < ${poisonAfterCrashes}
        and (select s.state = 'open' and s.lease_until > now() from runner_sessions s where s.id = ${sessionId})
        and (select r.status in ('pending', 'running') and r.closing is null and r.deadline_at > now() from test_suite_runs r
          where r.tenant_id = l.tenant_id and r.id = l.suite_run_id)
      order by l.test_run_id for update of l)
    update test_run_leases l
    set state = 'leased', attempt = l.attempt + 1, session_id = ${sessionId}, claim_id = ${claimId}, missed_beats = 0
    from pick p where l.tenant_id = p.tenant_id and l.test_run_id = p.test_run_id`.execute(kysely);
  // `offset 0` keeps the join below it: joined with the suite run first, every lease of the suite run would be read.
  const { rows } = await sql<ClaimedRow>`
    select l.test_run_id as "testRunId", l.attempt, l.crash_count >= ${soloAfterCrashes} as solo,
      l.contents, l.tenant_id as "tenantId", l.suite_run_id as "suiteRunId", r.status = 'pending' as "isFirst"
    from unnest(${testRunIds}::uuid[]) as asked (id)
    cross join lateral (
      select * from test_run_leases x where x.test_run_id = asked.id
        and (x.state = 'leased' and x.session_id = ${sessionId} and x.claim_id = ${claimId}) is true offset 0) l
    join test_suite_runs r on r.tenant_id = l.tenant_id and r.id = l.suite_run_id
    order by l.sort_order, l.repetition`.execute(kysely);
  return rows;
}

/** In a transaction of its own: the lock order wants suite runs before leases, and nothing depends on this word. */
async function markRunning(em: EntityManager, suiteRuns: readonly RowKey[]): Promise<void> {
  const kysely = em.getKysely();
  const started = sql<{ tenantId: string; id: string }>`
    with pick as (
      select r.tenant_id, r.id from test_suite_runs r
      where (r.tenant_id, r.id) in ${keysOf(suiteRuns)} and r.status = 'pending' order by r.id for no key update)
    update test_suite_runs r set status = 'running', started_at = now()
    from pick p where r.tenant_id = p.tenant_id and r.id = p.id
    returning r.tenant_id as "tenantId", r.run_id as id`;
  const { rows } = await started.execute(kysely);
  if (rows.length === 0) return;
  await sql`
    with pick as (
      select r.tenant_id, r.id from runs r
      where (r.tenant_id, r.id) in ${keysOf(uniqueKeys(rows))} and r.status = 'pending' order by r.id for no key update)
    update runs r set status = 'running', started_at = now()
    from pick p where r.tenant_id = p.tenant_id and r.id = p.id`.execute(kysely);
}
