import { sql } from 'kysely';
import { asWorker, type Database } from './transactions.ts';

/** What time it is by the clock of the ledger: those of two processes may differ. */
export async function readNowMs(database: Database): Promise<number> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ nowMs: number }>`select (extract(epoch from now()) * 1000)::float8 as "nowMs"`.execute(
      em.getKysely(),
    );
    return rows[0]?.nowMs ?? Number.NaN;
  });
}
