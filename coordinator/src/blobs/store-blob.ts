import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { shareContents } from '../database/contents-lock.ts';
import { type Database, inTenant } from '../database/transactions.ts';

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
