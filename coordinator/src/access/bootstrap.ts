import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import { operatorTenant } from './create-principals.ts';
import { ensureTenant } from './ensure-tenant.ts';
import { hashToken } from './token.ts';

/** Makes the given token an admin of the tenant `default`, once; a restart or a second replica finds it made. */
export async function ensureBootstrapToken(database: Database, token: string): Promise<void> {
  const { tenantId, userId } = await ensureTenant(database, operatorTenant, 'bootstrap');
  await asWorker(database, async (em) => {
    await sql`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id)
      select ${tenantId}, 'bootstrap', ${hashToken(token)}, 'api', array['admin'], ${userId}
      where not exists (select 1 from api_tokens where token_hash = ${hashToken(token)})`.execute(em.getKysely());
  });
}
