import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  AttemptRef,
  HeartbeatReply,
  HeartbeatRequest,
  ReleaseReply,
  ReleaseRequest,
} from '@proofmark/contracts/control-messages';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import { confirmAttempts } from './confirm-attempts.ts';
import { noteHolder } from './pass-fence.ts';

export interface NewSession {
  runnerId: string;
  pool: string;
  version: string;
  slots: number;
  leaseMs: number;
}

export interface Session {
  id: string;
  runnerId: string;
  pool: string;
  state: 'open' | 'expired' | 'closed';
}

/** Opens a session for a runner that said hello, and returns its id. */
export async function openSession(
  database: Database,
  { runnerId, pool, version, slots, leaseMs }: NewSession,
): Promise<string> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ id: string }>`
      insert into runner_sessions (runner_id, pool, version, slots, lease_until)
      values (${runnerId}, ${pool}, ${version}, ${slots}, now() + ${leaseMs} * interval '1 millisecond')
      returning id`.execute(em.getKysely());
    const session = rows[0];
    if (session === undefined) throw new Error('insert returned no session');
    return session.id;
  });
}

/** Who a session belongs to, null when there is no such session. */
export async function readSession(database: Database, sessionId: string): Promise<Session | null> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<Session>`
      select id, runner_id as "runnerId", pool, state from runner_sessions where id = ${sessionId}`.execute(
      em.getKysely(),
    );
    return rows[0] ?? null;
  });
}

/** After this many heartbeats without a test run that it leases, the session never got the answer to its claim. */
const missedBeforeRelease = 3;

const attemptColumns: Columns<AttemptRef> = {
  test_run_id: { type: 'uuid', of: ({ testRunId }) => testRunId },
  attempt: { type: 'int4', of: ({ attempt }) => attempt },
};

/**
 * Renews the lease of a session and answers what has become of its attempts. An expired session stays expired: its
 * test runs may be with others by now, so the runner drops what it has and says hello again.
 */
export async function beatSession(
  database: Database,
  { sessionId, held, unconfirmed }: HeartbeatRequest,
  leaseMs: number,
): Promise<HeartbeatReply> {
  return retryConflicts(() =>
    asWorker(database, async (em): Promise<HeartbeatReply> => {
      const pool = await renew(em, sessionId, leaseMs);
      if (pool === null) return { session: 'expired' };
      const abandoned = await findAbandoned(em, sessionId, held);
      await releaseMissed(em, sessionId, held);
      const confirmations = await confirmAttempts(em, unconfirmed);
      return {
        session: 'open',
        abandoned,
        confirmations,
        activeRuns: await activeRuns(em),
        fleetSize: await fleetSize(em, pool),
      };
    }),
  );
}

async function renew(em: EntityManager, sessionId: string, leaseMs: number): Promise<string | null> {
  // A session past its time that no reaper has seen yet is renewed: nobody else has its test runs.
  const { rows } = await sql<{ pool: string }>`
    update runner_sessions set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${sessionId} and state = 'open' returning pool`.execute(em.getKysely());
  return rows[0]?.pool ?? null;
}

async function findAbandoned(em: EntityManager, sessionId: string, held: readonly AttemptRef[]): Promise<AttemptRef[]> {
  if (held.length === 0) return [];
  const { rows } = await sql<AttemptRef>`
    select h.test_run_id as "testRunId", h.attempt from ${unnest(held, attemptColumns, 'h')}
    left join test_run_leases l on l.test_run_id = h.test_run_id
    where (l.attempt = h.attempt and l.session_id = ${sessionId} and l.state = 'leased') is not true`.execute(
    em.getKysely(),
  );
  return rows;
}

async function releaseMissed(em: EntityManager, sessionId: string, held: readonly AttemptRef[]): Promise<void> {
  await sql`
    with seen as (
      select l.tenant_id, l.test_run_id, h.test_run_id is not null as is_held from test_run_leases l
      left join ${unnest(held, attemptColumns, 'h')} on h.test_run_id = l.test_run_id and h.attempt = l.attempt
      where l.session_id = ${sessionId} and l.state = 'leased' and (h.test_run_id is null or l.missed_beats > 0)
      order by l.test_run_id for update of l skip locked)
    update test_run_leases l set
      missed_beats = case when s.is_held then 0 else l.missed_beats + 1 end,
      state = case when s.is_held or l.missed_beats + 1 < ${missedBeforeRelease} then 'leased' else 'queued' end,
      past_holders = case when s.is_held or l.missed_beats + 1 < ${missedBeforeRelease} then l.past_holders else ${noteHolder} end,
      session_id = case when s.is_held or l.missed_beats + 1 < ${missedBeforeRelease} then l.session_id end,
      publish_gen = l.publish_gen + (not s.is_held and l.missed_beats + 1 >= ${missedBeforeRelease})::int,
      published_at = case when s.is_held or l.missed_beats + 1 < ${missedBeforeRelease} then l.published_at end
    from seen s where l.tenant_id = s.tenant_id and l.test_run_id = s.test_run_id`.execute(em.getKysely());
}

interface ActiveRunRow {
  tenantId: string;
  runId: string;
}

/** The runs that runners may get work from. */
export async function activeRuns(em: EntityManager): Promise<ActiveRunRow[]> {
  const { rows } = await sql<ActiveRunRow>`
    select tenant_id as "tenantId", id as "runId" from runs
    where status in ('pending', 'running') and open_suite_runs > 0 order by created_at`.execute(em.getKysely());
  return rows;
}

export const readActiveRuns = async (database: Database): Promise<ActiveRunRow[]> => asWorker(database, activeRuns);

async function fleetSize(em: EntityManager, pool: string): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    select greatest(count(*), 1)::int as size from runner_sessions
    where pool = ${pool} and state = 'open' and lease_until > now()`.execute(em.getKysely());
  return rows[0]?.size ?? 1;
}

/**
 * Gives test runs back that the runner will not finish, without counting a crash; the next attempt has the next number.
 * A closing runner gives back all that it holds.
 */
export async function releaseSession(
  database: Database,
  { sessionId, held, closing }: ReleaseRequest,
): Promise<ReleaseReply> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      if (closing) {
        await sql`update runner_sessions set state = 'closed' where id = ${sessionId} and state = 'open'`.execute(
          em.getKysely(),
        );
      }
      const which = closing
        ? sql`true`
        : sql`(l.test_run_id, l.attempt) in (select h.test_run_id, h.attempt from ${unnest(held, attemptColumns, 'h')})`;
      const { rows } = await sql`
        with given_back as (
          select l.tenant_id, l.test_run_id from test_run_leases l
          where l.session_id = ${sessionId} and l.state = 'leased' and ${which} order by l.test_run_id for update of l)
        update test_run_leases l
        set state = 'queued', past_holders = ${noteHolder}, session_id = null, publish_gen = l.publish_gen + 1, published_at = null
        from given_back g where l.tenant_id = g.tenant_id and l.test_run_id = g.test_run_id
        returning l.test_run_id`.execute(em.getKysely());
      return { released: rows.length };
    }),
  );
}
