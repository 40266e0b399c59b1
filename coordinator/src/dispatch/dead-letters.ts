import { sql } from 'kysely';
import { storableText } from '../database/storable.ts';
import { asWorker, type Database } from '../database/transactions.ts';

const keptBytes = 65_536;

/** Keeps a message that nobody can process, cut to 64 KB, for a person to look at. */
export async function storeDeadLetter(
  database: Database,
  { subject, reason, data }: { subject: string; reason: string; data: Uint8Array },
): Promise<void> {
  const payload = Buffer.from(data.subarray(0, keptBytes)).toString('utf8');
  await asWorker(database, async (em) => {
    await sql`
      insert into dead_letters (subject, reason, payload)
      values (${storableText(subject)}, ${storableText(reason)}, ${storableText(payload)})`.execute(em.getKysely());
  });
}
