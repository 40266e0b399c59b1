import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';

/**
 * Whether it is this replica's turn to do a chore of the whole fleet: each interval has one. Turns stand beside those for
 * writing to a forge, under the name of the chore.
 */
export async function takeTurn(database: Database, chore: string, intervalMs: number): Promise<boolean> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`
      insert into installation_pace as p (key, next_write_at)
      values (${`chore:${chore}`}, now() + ${intervalMs} * interval '1 millisecond')
      on conflict (key) do update set next_write_at = excluded.next_write_at where p.next_write_at <= now()
      returning 1`.execute(em.getKysely());
    return rows.length > 0;
  });
}
