import type { EntityManager } from '@mikro-orm/postgresql';
import { type Fleet, UNKNOWN_FLEET } from '@proofmark/domain/cut-chunks';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';

/** The runners that are connected to a pool; what is usual while there is none. Only loops may see runners. */
export async function fleetOf(em: EntityManager, pool = 'default'): Promise<Fleet> {
  const { rows } = await sql<{ runners: number; slots: number | null }>`
    select count(*)::int as runners, min(slots) as slots from runner_sessions
    where pool = ${pool} and state = 'open' and lease_until > now()`.execute(em.getKysely());
  const [found] = rows;
  return found === undefined || found.slots === null ? UNKNOWN_FLEET : { runners: found.runners, slots: found.slots };
}

export const readFleet = (database: Database): Promise<Fleet> => asWorker(database, (em) => fleetOf(em));
