import { CompiledQuery } from 'kysely';
import { type Database, onWorkerSession } from '../database/transactions.ts';

/**
 * Runs the work while no other replica can create anything for the same subject: two of them cannot both create. The lock
 * belongs to a session without a transaction: Postgres would end one that is idle for half a minute, while a process that
 * is paused, or a forge that takes its time, may be in the middle of a create. It ends with the process.
 */
export async function createAlone<Result>(
  database: Database,
  subject: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return await onWorkerSession(database, async (session) => {
    const ask = (text: string) => session.executeQuery(CompiledQuery.raw(text, [subject]));
    await ask('select pg_advisory_lock(hashtextextended($1, 0))');
    try {
      return await work();
    } finally {
      await ask('select pg_advisory_unlock(hashtextextended($1, 0))');
    }
  });
}
