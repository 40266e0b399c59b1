import type { EntityManager } from '@mikro-orm/postgresql';
import { leaveBehind } from '@proofmark/domain/chunk';
import { MAX_CRASHES } from '@proofmark/domain/lifecycle';
import { sql } from 'kysely';
import { chaosPoint } from '../database/chaos.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { goesOn } from './claim-chunks.ts';
import { closeChunks } from './close-chunks.ts';
import type { FinishedSuiteRun } from './count-results.ts';
import { giveBack, lockHeld } from './give-back.ts';

export interface Reaped {
  /** Sessions whose time was up. */
  expired: number;
  /** Test runs that are queued again. */
  requeued: number;
  /** Test runs that took three runners with them and are `error/lost` now. */
  poisoned: number;
  finishedSuiteRuns: FinishedSuiteRun[];
}

const sessionsOfPass = 50;
const chunksOfPass = 500;

/**
 * Takes the chunks of silent and closed sessions back. Only a session that expired counts as a crash, and only against
 * what it had begun. A claim that raced with an earlier pass is found by the next one.
 */
export async function reapSessions(database: Database): Promise<Reaped> {
  const expired = await retryConflicts(() => asWorker(database, expire));
  let requeued = 0;
  for (const session of await asWorker(database, findGone)) {
    requeued += await retryConflicts(() => asWorker(database, (em) => takeBack(em, session)));
  }
  if (requeued > 0) await chaosPoint('after_reap_commit');
  const poison = await retryConflicts(() => asWorker(database, closePoison));
  return { expired, requeued: requeued - poison.poisoned, ...poison };
}

async function expire(em: EntityManager): Promise<number> {
  const { rows } = await sql`
    with gone as (
      select id from runner_sessions where state = 'open' and lease_until < now() order by id for update skip locked)
    update runner_sessions s set state = 'expired' from gone where s.id = gone.id returning s.id`.execute(
    em.getKysely(),
  );
  return rows.length;
}

interface GoneSession {
  id: string;
  state: 'expired' | 'closed';
  /** What it had not begun when it was last heard. */
  waiting: string[];
}

async function findGone(em: EntityManager): Promise<GoneSession[]> {
  const { rows } = await sql<GoneSession>`
    select s.id, s.state, s.waiting from runner_sessions s
    where s.id in (select c.session_id from chunks c where c.state = 'leased') and s.state <> 'open'
    order by s.id limit ${sessionsOfPass}`.execute(em.getKysely());
  return rows;
}

async function takeBack(em: EntityManager, { id, state, waiting }: GoneSession): Promise<number> {
  const session = { isExpired: state === 'expired', waiting: new Set(waiting) };
  const held = await lockHeld(em, id);
  return await giveBack(
    em,
    held.map((chunk) => ({ chunk, leaving: leaveBehind(chunk, session) })),
  );
}

/** Also finds what an earlier pass queued and did not live to close. */
async function closePoison(em: EntityManager): Promise<Pick<Reaped, 'poisoned' | 'finishedSuiteRuns'>> {
  const { rows } = await sql<RowKey>`
    select c.tenant_id as "tenantId", c.id from chunks c
    where c.state = 'queued' and c.crash_count >= ${MAX_CRASHES} and ${goesOn} limit ${chunksOfPass}`.execute(
    em.getKysely(),
  );
  const { closed, finishedSuiteRuns } = await closeChunks(em, rows, {
    status: 'error',
    errorKind: 'lost',
    errorMessage: `The runner crashed ${MAX_CRASHES} times while it had this test run`,
  });
  return { poisoned: closed, finishedSuiteRuns };
}
