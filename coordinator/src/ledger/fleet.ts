import type { EntityManager } from '@mikro-orm/postgresql';
import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import { type Fleet, UNKNOWN_FLEET } from '@proofmark/domain/cut-chunks';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { askAsWorker, asWorker, type Database } from '../database/transactions.ts';

/** SQL: the runner of `session` is connected. */
export const isConnected = (session: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (${session}.state = 'open' and ${session}.lease_until > now())`;

/** SQL: the runner of `session` is connected and takes work of the pool. Those that know of one pool only say it in `pool` alone. */
export const serves = (session: RawBuilder<unknown>, pool: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (${isConnected(session)} and (${pool} = ${session}.pool or ${pool} = any(${session}.pools)))`;

/** The runners of each pool; what is usual for one that has none. */
export type Fleets = (pool: string) => Fleet;

/** Only loops may see runners. */
export async function fleetsOf(em: EntityManager): Promise<Fleets> {
  const { rows } = await sql<Fleet & { pool: string }>`
    select p.pool, count(*)::int as runners, min(s.slots) as slots
    from runner_sessions s cross join lateral (select distinct unnest(s.pools || s.pool) as pool) p
    where ${isConnected(sql`s`)} group by 1`.execute(em.getKysely());
  const fleets = new Map(rows.map(({ pool, ...fleet }) => [pool, fleet]));
  return (pool) => fleets.get(pool) ?? UNKNOWN_FLEET;
}

export const readFleets = (database: Database): Promise<Fleets> => asWorker(database, fleetsOf);

/**
 * The pools that have a runner, and the one that is always there. What is queued for another one stays in the ledger until a
 * runner of it comes: whoever starts a run can name any pool, and must not fill the broker with streams.
 */
export async function readServedPools(database: Database): Promise<string[]> {
  const rows = await askAsWorker(
    database,
    sql<{ pool: string }>`${prepared}
      select distinct unnest(s.pools || s.pool) as pool from runner_sessions s where ${isConnected(sql`s`)} order by 1`,
  );
  return [...new Set([DEFAULT_POOL, ...rows.map(({ pool }) => pool)])];
}
