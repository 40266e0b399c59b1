import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { askAsWorker, asWorker, type Database } from '../database/transactions.ts';

/** Thrown out of a delivery: the turn is too far away to wait for it, and the row comes again by then. */
export class WritesPaused extends Error {
  readonly afterMs: number;

  constructor(afterMs: number) {
    super('GitHub asked for a pause');
    this.afterMs = afterMs;
  }
}

/** What a delivery waits for its turn at most. Whatever is further away is a pause, and nobody sits it out. */
export const longestTurnMs = (intervalMs: number): number => Math.max(1_000, 3 * intervalMs);

/** What the pace of an installation is kept under, also where rows are joined with it. */
export const paceKeyOf = (host: string, installationId: string): string => `${host}/${installationId}`;

interface Turn {
  paceKey: string;
  intervalMs: number;
  /** Ends the waiting: the process is to end. */
  signal: AbortSignal;
}

/**
 * Takes the next turn to write for an installation and waits for it. Turns are rows of the database, so writers of all
 * replicas together stay below one write per interval.
 */
export async function takeWriteTurn(database: Database, { paceKey, intervalMs, signal }: Turn): Promise<void> {
  const waitMs = await asWorker(database, async (em) => {
    const connection = em.getKysely();
    const taken = await connection.executeQuery<{ wait_ms: number }>(
      CompiledQuery.raw(
        `insert into installation_pace as p (key, next_write_at) values ($1, now() + make_interval(secs => $2))
         on conflict (key) do update
           set next_write_at = greatest(p.next_write_at, now()) + make_interval(secs => $2)
           where p.next_write_at <= now() + make_interval(secs => $3)
         returning greatest(0, extract(epoch from next_write_at - now() - make_interval(secs => $2)) * 1000)::float8 as wait_ms`,
        [paceKey, intervalMs / 1000, longestTurnMs(intervalMs) / 1000],
      ),
    );
    if (taken.rows[0] !== undefined) return taken.rows[0].wait_ms;
    const paused = await connection.executeQuery<{ after_ms: number }>(
      CompiledQuery.raw(
        `select greatest(0, extract(epoch from next_write_at - now()) * 1000)::float8 as after_ms from installation_pace where key = $1`,
        [paceKey],
      ),
    );
    throw new WritesPaused(paused.rows[0]?.after_ms ?? 0);
  });
  if (waitMs > 0) await wait(waitMs, undefined, { signal });
}

/** How long the pause of an installation still is; 0 where only writers wait for their turn. */
export async function pauseOf(database: Database, paceKey: string, intervalMs: number): Promise<number> {
  const rows = await askAsWorker<{ after_ms: number }>(
    database,
    sql`select greatest(0, extract(epoch from next_write_at - now()) * 1000)::float8 as after_ms
      from installation_pace where key = ${paceKey}`,
  );
  return unlessTurn(rows[0]?.after_ms, intervalMs);
}

/** How long the longest pause of all installations still is. Turns of chores stand in the same table. */
export async function longestPauseOf(database: Database, intervalMs: number): Promise<number> {
  const rows = await askAsWorker<{ after_ms: number }>(
    database,
    sql`select greatest(0, extract(epoch from max(next_write_at) - now()) * 1000)::float8 as after_ms
      from installation_pace where key not like 'chore:%'`,
  );
  return unlessTurn(rows[0]?.after_ms, intervalMs);
}

/** What is no further away than the turn of a writer is no pause. */
const unlessTurn = (afterMs = 0, intervalMs: number): number =>
  afterMs > longestTurnMs(intervalMs) + intervalMs ? afterMs : 0;

/** Lets nobody write for this installation until the time is over: GitHub asked for a pause. */
export async function pauseWrites(database: Database, paceKey: string, pauseMs: number): Promise<void> {
  await asWorker(database, async (em) => {
    await em.getKysely().executeQuery(
      CompiledQuery.raw(
        `insert into installation_pace (key, next_write_at) values ($1, now() + make_interval(secs => $2))
         on conflict (key) do update
           set next_write_at = greatest(installation_pace.next_write_at, now() + make_interval(secs => $2))`,
        [paceKey, pauseMs / 1000],
      ),
    );
  });
}
