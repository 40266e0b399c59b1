import type { Role } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';

export interface Principal {
  tenantId: string;
  userId: string;
}

/** The tenant of this name and its service user of this login, an admin, made when they are missing. */
export async function ensureTenant(database: Database, name: string, login: string): Promise<Principal> {
  return await asWorker(database, async (em) => {
    const connection = em.getKysely();
    await sql`insert into tenants (name) values (${name}) on conflict do nothing`.execute(connection);
    const tenants = await sql<{ id: string }>`select id from tenants where name = ${name}`.execute(connection);
    const tenantId = tenants.rows[0]?.id;
    if (tenantId === undefined) throw new Error(`tenant ${name} was neither found nor made`);
    return { tenantId, userId: await ensureServiceUser(em, tenantId, { login, role: 'admin' }) };
  });
}

type Connected = { getKysely: () => Parameters<ReturnType<typeof sql>['execute']>[0] };

/** The service user of this login: a CI job or a token without a person acts as one. */
export async function ensureServiceUser(
  em: Connected,
  tenantId: string,
  { login, role }: { login: string; role: Role },
): Promise<string> {
  const connection = em.getKysely();
  await sql`
    insert into users (tenant_id, login, kind, role) values (${tenantId}, ${login}, 'service', ${role}) on conflict do nothing`.execute(
    connection,
  );
  const { rows } = await sql<{ id: string }>`
    select id from users where tenant_id = ${tenantId} and login = ${login}`.execute(connection);
  const userId = rows[0]?.id;
  if (userId === undefined) throw new Error(`user ${login} was neither found nor made`);
  return userId;
}
