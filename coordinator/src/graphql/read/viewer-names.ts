import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type Database, inTenant } from '../../database/connect.ts';

export interface ViewerNames {
  tenant: string;
  login: string;
}

/** The names behind the ids of a caller. */
export async function readViewerNames(database: Database, { tenantId, userId }: Caller): Promise<ViewerNames> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<ViewerNames>`
      select t.name as tenant, u.login from tenants t join users u on u.tenant_id = t.id
      where t.id = ${tenantId} and u.id = ${userId}`.execute(em.getKysely());
    return rows[0] ?? { tenant: '', login: '' };
  });
}
