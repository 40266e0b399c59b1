import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { BlobGrant } from './blob-links.ts';

/** The content for whoever works on this attempt; null when it is over, the time has run out, or there is no such content. */
export async function readBlob(
  database: Database,
  digest: string,
  { tenant, chunk, attempt, expires }: BlobGrant,
): Promise<Buffer | null> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ content: Buffer }>`
      select b.content from blobs b
      where b.tenant_id = ${tenant} and b.digest = ${digest} and to_timestamp(${expires}) > now() and exists (
        select 1 from chunks c
        where c.tenant_id = b.tenant_id and c.id = ${chunk} and c.attempt = ${attempt} and c.state = 'leased')`.execute(
      em.getKysely(),
    );
    return rows[0]?.content ?? null;
  });
}
