import { sql } from 'kysely';
import { type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';

/** Ends a token at once, for every replica; false when the tenant has none with this id. A revoked one stays revoked. */
export async function revokeApiToken(database: Database, caller: Caller, tokenId: string): Promise<boolean> {
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await sql<{ id: string }>`
      update api_tokens set revoked_at = coalesce(revoked_at, now())
      where tenant_id = ${caller.tenantId} and id = ${tokenId} returning id`.execute(em.getKysely());
    return rows.length > 0;
  });
}
