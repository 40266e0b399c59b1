import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { shareContents } from '../database/contents-lock.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import type { BlobGrant } from './blob-links.ts';

export interface NewBlob {
  digest: string;
  content: Buffer;
}

export type StoredBlob = { ok: true; created: boolean } | { ok: false; reason: 'over-quota'; usedBytes: number };

/** Keeps a content, once however often it comes; refused when the tenant would keep more than its quota. The digest was checked. */
export async function storeBlob(
  database: Database,
  { tenantId }: Caller,
  { digest, content }: NewBlob,
  quotaBytes: number,
): Promise<StoredBlob> {
  return inTenant(database, tenantId, async (em): Promise<StoredBlob> => {
    const kysely = em.getKysely();
    await shareContents(em, tenantId);
    // Somebody is about to use it: it does not count as forgotten for another day.
    const known = await sql`update blobs set created_at = now() where digest = ${digest} returning 1`.execute(kysely);
    if (known.rows.length > 0) return { ok: true, created: false };
    // One after another within the tenant, or several together could pass the quota.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`quota of ${tenantId}`}, 0))`.execute(kysely);
    const used = await sql<{ bytes: number }>`
      select coalesce(sum(size_bytes), 0)::float8 as bytes from blobs`.execute(kysely);
    const usedBytes = used.rows[0]?.bytes ?? 0;
    if (usedBytes + content.length > quotaBytes) return { ok: false, reason: 'over-quota', usedBytes };
    const { rows } = await sql`
      insert into blobs (tenant_id, digest, size_bytes, content) values (${tenantId}, ${digest}, ${content.length}, ${content})
      on conflict (tenant_id, digest) do nothing returning 1`.execute(kysely);
    return { ok: true, created: rows.length > 0 };
  });
}

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
