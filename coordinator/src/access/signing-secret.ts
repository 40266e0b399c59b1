import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { askAsWorker, type Database } from '../database/transactions.ts';

/** What all keys are derived from: what the operator gave, else something random that the first replica has stored. */
export async function signingSecret(database: Database, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  await askAsWorker(
    database,
    sql`insert into stored_secrets (name, value) values ('signing', ${randomBytes(32).toString('hex')}) on conflict do nothing`,
  );
  const [stored] = await askAsWorker(
    database,
    sql<{ value: string }>`select value from stored_secrets where name = 'signing'`,
  );
  if (stored === undefined) throw new Error('the signing secret was neither found nor stored');
  return stored.value;
}

/** A key of its own for each purpose, the same in every replica. */
export const keyFor = (purpose: string, secret: string): Buffer =>
  createHash('sha256').update(`${purpose} ${secret}`).digest();
