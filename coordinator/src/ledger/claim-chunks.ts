import type { EntityManager } from '@mikro-orm/postgresql';
import type { ClaimRequest } from '@proofmark/contracts/control-messages';
import type { FileContent } from '@proofmark/contracts/file-content';
import { SOLO_AFTER_CRASHES } from '@proofmark/domain/chunk';
import { MAX_CRASHES } from '@proofmark/domain/lifecycle';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { keysOf, type RowKey, uniqueKeys } from '../database/row-key.ts';
import { askAsWorker, asWorker, type Database } from '../database/transactions.ts';

/** A chunk that belongs to the session now. */
export interface ClaimedChunk {
  tenantId: string;
  chunkId: string;
  attempt: number;
  solo: boolean;
  /** What its runner has to fetch; null when there is nothing. */
  contents: FileContent[] | null;
}

interface ClaimedRow extends ClaimedChunk {
  sessionId: string;
  claimId: string;
  pending: string[];
}

interface Asked {
  tenantId: string;
  chunkId: string;
  sessionId: string;
  claimId: string;
}

/**
 * Leases those of the chunks that are still to be done to the sessions that ask, and answers each request. The same claim id
 * gets the same answer, so a runner whose answer was lost asks again. What is not in the answer is done, cancelled or held
 * by a live session. That suite runs have begun is noted before it resolves, unless `begun` does not wait for that.
 */
export async function claimChunks(
  database: Database,
  requests: readonly ClaimRequest[],
  begun = (suiteRuns: readonly RowKey[]) => markRunning(database, suiteRuns),
): Promise<ClaimedChunk[][]> {
  const asked = requests.flatMap(({ chunks, ...who }) => chunks.map((chunk) => ({ ...chunk, ...who })));
  const rows = await retryConflicts(() => askAsWorker(database, claim(asked)));
  const started = uniqueKeys(rows.flatMap(({ tenantId, pending }) => pending.map((id) => ({ tenantId, id }))));
  if (started.length > 0) await begun(started);
  return requests.map((request) =>
    rows
      .filter(({ sessionId, claimId }) => sessionId === request.sessionId && claimId === request.claimId)
      .map(({ sessionId: _session, claimId: _claim, pending: _pending, ...claimed }) => claimed),
  );
}

const answered = sql.raw(
  'c.tenant_id, c.id, c.attempt, c.crash_count, c.contents, c.session_id, c.claim_id, c.suite_run_id, c.base_suite_run_id, c.round, c.position',
);

const rowOf = ({ tenantId, chunkId, sessionId, claimId }: Asked) => ({
  ...{ tenant_id: tenantId, chunk_id: chunkId, session_id: sessionId, claim_id: claimId },
});

/**
 * One statement: what is queued is leased, and what this very claim leased before is answered again. What is asked is JSON,
 * of which Postgres expects the same number of rows each time: a number that it knew would have every claim planned anew.
 */
const claim = (asked: readonly Asked[]): RawBuilder<ClaimedRow> => {
  // Waits for rows that are locked instead of passing over them: the publisher marks a chunk at about the moment
  // at which its task arrives, and a chunk that is passed over here is delivered to nobody again.
  return sql<ClaimedRow>`${prepared}
    with asked as materialized (
      select * from json_to_recordset(${JSON.stringify(asked.map(rowOf))})
        as a(tenant_id uuid, chunk_id uuid, session_id uuid, claim_id uuid)),
    pick as (
      select c.tenant_id, c.id, a.session_id, a.claim_id from (select * from asked order by chunk_id) a
      cross join lateral (select * from chunks c where c.tenant_id = a.tenant_id and c.id = a.chunk_id for update) c
      where (c.state = 'queued') is true and c.crash_count < ${MAX_CRASHES}
        and (select s.state = 'open' and s.lease_until > now() from runner_sessions s where s.id = a.session_id)
        and ${goesOn} and (select r.deadline_at > now() from test_suite_runs r
          where r.tenant_id = c.tenant_id and r.id = c.suite_run_id)),
    leased as (
      update chunks c
      set state = 'leased', attempt = c.attempt + 1, session_id = p.session_id, claim_id = p.claim_id,
        holders = c.holders || p.session_id, missed_beats = 0
      from pick p where c.tenant_id = p.tenant_id and c.id = p.id
      returning ${answered})
    select c.tenant_id as "tenantId", c.id as "chunkId", c.attempt, c.crash_count >= ${SOLO_AFTER_CRASHES} as solo, c.contents,
      c.session_id as "sessionId", c.claim_id as "claimId", array(
        select r.id from test_suite_runs r
        where r.tenant_id = c.tenant_id and r.id in (c.suite_run_id, c.base_suite_run_id) and r.status = 'pending') as pending
    from (
      select * from leased union all
      select ${answered} from asked a cross join lateral (
        select * from chunks c where c.tenant_id = a.tenant_id and c.id = a.chunk_id offset 0) c
      where (c.state = 'leased' and c.session_id = a.session_id and c.claim_id = a.claim_id) is true) c
    order by c.round, c.position`;
};

/**
 * Of the chunk `c`: nobody has decided that one of its suite runs ends. That one of them is completed says nothing: the other
 * side of its pairs may be open.
 */
export const goesOn: RawBuilder<boolean> = sql`
  not exists (select 1 from test_suite_runs r
    where r.tenant_id = c.tenant_id and r.id in (c.suite_run_id, c.base_suite_run_id) and r.ending is not null)`;

/** In a transaction of its own: the lock order wants suite runs before chunks, and nothing depends on this word. */
export async function markRunning(database: Database, suiteRuns: readonly RowKey[]): Promise<void> {
  await retryConflicts(() => asWorker(database, (em) => mark(em, suiteRuns)));
}

async function mark(em: EntityManager, suiteRuns: readonly RowKey[]): Promise<void> {
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
