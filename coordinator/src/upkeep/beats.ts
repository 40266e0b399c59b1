import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';

/** Notes that this replica lives, and returns how long before that none did, in milliseconds; null when none ever has. */
export async function beat(database: Database, replica: string): Promise<number | null> {
  return await asWorker(database, async (em) => {
    const connection = em.getKysely();
    const { rows } = await sql<{ silenceMs: number | null }>`
      select (extract(epoch from now() - max(beat_at)) * 1000)::float8 as "silenceMs" from coordinator_beats`.execute(
      connection,
    );
    await sql`
      insert into coordinator_beats (id, beat_at) values (${replica}, now())
      on conflict (id) do update set beat_at = now()`.execute(connection);
    return rows[0]?.silenceMs ?? null;
  });
}
