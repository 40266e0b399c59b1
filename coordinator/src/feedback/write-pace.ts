import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';

/**
 * Takes the next turn to write for an installation and waits for it. Turns are rows of the database, so writers of all
 * replicas together stay below one write per interval.
 */
export async function takeWriteTurn(database: Database, installationId: string, intervalMs: number): Promise<void> {
  const waitMs = await asWorker(database, async (em) => {
    const taken = await em.getKysely().executeQuery<{ wait_ms: number }>(
      CompiledQuery.raw(
        `insert into installation_pace (key, next_write_at) values ($1, now() + make_interval(secs => $2))
         on conflict (key) do update
           set next_write_at = greatest(installation_pace.next_write_at, now()) + make_interval(secs => $2)
         returning greatest(0, extract(epoch from next_write_at - now() - make_interval(secs => $2)) * 1000)::float8 as wait_ms`,
        [installationId, intervalMs / 1000],
      ),
    );
    return taken.rows[0]?.wait_ms ?? 0;
  });
  if (waitMs > 0) await wait(waitMs);
}

/** Lets nobody write for this installation until the time is over: GitHub asked for a pause. */
export async function pauseWrites(database: Database, installationId: string, pauseMs: number): Promise<void> {
  await asWorker(database, async (em) => {
    await em.getKysely().executeQuery(
      CompiledQuery.raw(
        `insert into installation_pace (key, next_write_at) values ($1, now() + make_interval(secs => $2))
         on conflict (key) do update
           set next_write_at = greatest(installation_pace.next_write_at, now() + make_interval(secs => $2))`,
        [installationId, pauseMs / 1000],
      ),
    );
  });
}

/** Runs the work while no other replica can create anything for the same subject: two of them cannot both create. */
export async function aloneFor<Result>(
  database: Database,
  subject: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return await asWorker(database, async (em) => {
    await em
      .getKysely()
      .executeQuery(CompiledQuery.raw('select pg_advisory_xact_lock(hashtextextended($1, 0))', [subject]));
    return await work();
  });
}
