import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

interface Claim {
  host: string;
  installationId: string;
  tenantId: string;
}

/**
 * Whether this installation of the App belongs to the tenant, which it does from now on when nobody had it. Called with
 * proof alone: a job that runs inside of the installation. The number in the address of a set-up page proves nothing, for
 * anybody can type one.
 */
export async function claimInstallation(
  em: Pick<EntityManager, 'getKysely'>,
  { host, installationId, tenantId }: Claim,
): Promise<boolean> {
  const kysely = em.getKysely();
  await sql`
    insert into installations (host, external_id, tenant_id) values (${host}, ${installationId}, ${tenantId})
    on conflict do nothing`.execute(kysely);
  return (await tenantOfInstallation(em, host, installationId)) === tenantId;
}

/** Null: no tenant has shown yet that it is his. */
export async function tenantOfInstallation(
  em: Pick<EntityManager, 'getKysely'>,
  host: string,
  installationId: string,
): Promise<string | null> {
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id as "tenantId" from installations
    where host = ${host} and external_id = ${installationId}`.execute(em.getKysely());
  return rows[0]?.tenantId ?? null;
}
