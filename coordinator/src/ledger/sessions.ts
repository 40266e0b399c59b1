import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  ChunkRef,
  HeartbeatReply,
  HeartbeatRequest,
  PlacesRef,
  ReleaseReply,
  ReleaseRequest,
} from '@proofmark/contracts/control-messages';
import { type Chunk, confirmPlaces, isVoid, MISSED_BEFORE_RELEASE, openPlaces } from '@proofmark/domain/chunk';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { keysOf, type RowKey, uniqueKeys } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { goesOn } from './claim-chunks.ts';
import { isConnected } from './fleet.ts';
import { giveBack, lockHeld } from './give-back.ts';

export interface NewSession {
  runnerId: string;
  pools: readonly string[];
  version: string;
  slots: number;
  leaseMs: number;
}

export interface SessionState {
  id: string;
  runnerId: string;
  state: 'open' | 'expired' | 'closed';
}

/** Opens a session for a runner that said hello, and returns its id. */
export async function storeSession(
  database: Database,
  { runnerId, pools, version, slots, leaseMs }: NewSession,
): Promise<string> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ id: string }>`
      insert into runner_sessions (runner_id, pool, pools, version, slots, lease_until)
      values (${runnerId}, ${pools[0]}, ${pools}::text[], ${version}, ${slots}, now() + ${leaseMs} * interval '1 millisecond')
      returning id`.execute(em.getKysely());
    const session = rows[0];
    if (session === undefined) throw new Error('insert returned no session');
    return session.id;
  });
}

/** Who a session belongs to, null when there is no such session. */
export async function readSession(database: Database, sessionId: string): Promise<SessionState | null> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<SessionState>`
      select id, runner_id as "runnerId", state from runner_sessions where id = ${sessionId}`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/**
 * Renews the lease of a session and answers what has become of what it holds. An expired session stays expired: its
 * chunks may be with others by now, so the runner drops what it has and says hello again.
 */
export async function beatSession(
  database: Database,
  { sessionId, held, waiting, unconfirmed }: HeartbeatRequest,
  leaseMs: number,
): Promise<HeartbeatReply> {
  return retryConflicts(() =>
    asWorker(database, async (em): Promise<HeartbeatReply> => {
      const leased = await readLeased(em, sessionId);
      const fleetSize = await renew(em, { sessionId, leaseMs, waiting: waitingOf(leased, waiting) });
      if (fleetSize === null) return { session: 'expired' };
      await releaseMissed(em, sessionId, { leased, held });
      return {
        session: 'open',
        abandoned: abandonedOf(leased, held),
        confirmations: await confirmResults(em, unconfirmed),
        fleetSize,
      };
    }),
  );
}

interface LeasedChunk extends RowKey {
  attempt: number;
  members: string[];
  missedBeats: number;
  goesOn: boolean;
}

/** All that the session holds, which is little: nothing else is looked up for what it says. */
async function readLeased(em: EntityManager, sessionId: string): Promise<LeasedChunk[]> {
  const { rows } = await sql<LeasedChunk>`
    select c.tenant_id as "tenantId", c.id, c.attempt, c.members, c.missed_beats as "missedBeats",
      ${goesOn} as "goesOn"
    from chunks c
    where c.session_id = ${sessionId} and c.state = 'leased'`.execute(em.getKysely());
  return rows;
}

const isOf = (chunk: LeasedChunk, ref: ChunkRef): boolean =>
  chunk.id === ref.chunkId && chunk.tenantId === ref.tenantId && chunk.attempt === ref.attempt;

/** The ids of test runs that it has not begun. */
function waitingOf(leased: readonly LeasedChunk[], waiting: readonly PlacesRef[]): string[] {
  return waiting.flatMap((ref) => {
    const chunk = leased.find((one) => isOf(one, ref));
    return chunk === undefined ? [] : ref.at.flatMap((at) => chunk.members[at] ?? []);
  });
}

function abandonedOf(leased: readonly LeasedChunk[], held: readonly ChunkRef[]): ChunkRef[] {
  return held.filter((ref) => {
    const chunk = leased.find((one) => isOf(one, ref));
    return isVoid(chunk, ref.attempt, chunk?.goesOn === true);
  });
}

interface Renewal {
  sessionId: string;
  leaseMs: number;
  waiting: readonly string[];
}

/** How many runners take work that this one takes, or null where the session is open no more. */
async function renew(em: EntityManager, { sessionId, leaseMs, waiting }: Renewal): Promise<number | null> {
  // A session past its time that no reaper has seen yet is renewed: nobody else has its chunks.
  const { rows } = await sql<{ fleetSize: number }>`
    update runner_sessions s set lease_until = now() + ${leaseMs} * interval '1 millisecond', waiting = ${waiting}::uuid[]
    where s.id = ${sessionId} and s.state = 'open'
    returning (
      select greatest(count(*), 1)::int from runner_sessions o
      where ${isConnected(sql`o`)} and (o.pools || o.pool) && (s.pools || s.pool)) as "fleetSize"`.execute(
    em.getKysely(),
  );
  return rows[0]?.fleetSize ?? null;
}

/** Nothing is written while the session names all that it holds. */
async function releaseMissed(
  em: EntityManager,
  sessionId: string,
  { leased, held }: { leased: readonly LeasedChunk[]; held: readonly ChunkRef[] },
): Promise<void> {
  const isHeld = (chunk: LeasedChunk) => held.some((ref) => isOf(chunk, ref));
  const missed = leased.filter((chunk) => !isHeld(chunk));
  const found = leased.filter((chunk) => isHeld(chunk) && chunk.missedBeats > 0);
  if (missed.length + found.length === 0) return;
  await sql`
    update chunks c set missed_beats = case when c.id = any(${missed.map(({ id }) => id)}::uuid[]) then c.missed_beats + 1 else 0 end
    where c.session_id = ${sessionId} and c.state = 'leased' and c.id = any(${[...missed, ...found].map(({ id }) => id)}::uuid[])`.execute(
    em.getKysely(),
  );
  const lost = missed.filter(({ missedBeats }) => missedBeats + 1 >= MISSED_BEFORE_RELEASE);
  if (lost.length === 0) return;
  const chunks = await lockHeld(em, sessionId, lost);
  await giveBack(
    em,
    chunks.map((chunk) => ({ chunk, leaving: { counts: false, crashed: [], untouched: openPlaces(chunk) } })),
  );
}

/**
 * Gives test runs back that the runner will not finish, without counting a crash; the next attempt has the next number. A
 * closing runner gives back all that it holds.
 */
export async function releaseSession(
  database: Database,
  { sessionId, given, closing }: ReleaseRequest,
): Promise<ReleaseReply> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      if (closing) {
        await sql`update runner_sessions set state = 'closed' where id = ${sessionId} and state = 'open'`.execute(
          em.getKysely(),
        );
      }
      const named = given.map(({ tenantId, chunkId }) => ({ tenantId, id: chunkId }));
      const held = await lockHeld(em, sessionId, closing ? null : named);
      const leaving = held.map((chunk) => {
        const untouched = openPlaces(chunk).filter((at) => closing || names(given, chunk, at));
        return { chunk, leaving: { untouched, crashed: [], counts: false } };
      });
      return { released: await giveBack(em, leaving) };
    }),
  );
}

/** A session holds a chunk at one attempt only: the last one. */
const names = (refs: readonly PlacesRef[], { tenantId, id }: RowKey, at: number): boolean =>
  refs.some((ref) => ref.chunkId === id && ref.tenantId === tenantId && ref.at.includes(at));

/** What has become of results that a runner sent and still keeps. One that is not named has not arrived, and would still count. */
interface ConfirmedPlaces extends ChunkRef {
  recorded: number[];
  superseded: number[];
}

interface KnownChunk extends Pick<Chunk, 'state' | 'attempt'>, RowKey {
  settled: string;
}

/** Asks once for each chunk, however many results of it are on their way. */
async function confirmResults(em: EntityManager, refs: readonly PlacesRef[]): Promise<ConfirmedPlaces[]> {
  if (refs.length === 0) return [];
  const keys = uniqueKeys(refs.map(({ tenantId, chunkId }) => ({ tenantId, id: chunkId })));
  const { rows } = await sql<KnownChunk>`
    select c.tenant_id as "tenantId", c.id, c.state, c.attempt, c.settled::text as settled
    from ${keysOf(keys)} k join chunks c on c.tenant_id = k.tenant_id and c.id = k.id`.execute(em.getKysely());
  const known = new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, { ...row, settled: BigInt(row.settled) }]));
  return refs.map(({ at, ...ref }) => ({
    ...ref,
    ...confirmPlaces(known.get(`${ref.tenantId} ${ref.chunkId}`), { attempt: ref.attempt, at }),
  }));
}
