import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';

interface HeldRepository {
  tenantId: string;
  tenant: string;
  id: string;
  fullName: string;
  installationId: string | null;
  activeRuns: number;
}

type Released = { ok: true; made: { repository: string; releasedBy: string } } | { ok: false; message: string };

/**
 * Takes a repository from its tenant, at the word of the operator: whoever shows that it is his gets it next. What was measured
 * stays with the tenant that had it, under a number that no forge gives, so that no job, webhook or App reaches it any more. An
 * installation of the App goes with the last repository that the tenant had in it.
 */
export async function releaseRepository(
  database: Database,
  { host, number }: { host: string; number: string },
): Promise<Released> {
  return asWorker(database, async (em): Promise<Released> => {
    const kysely = em.getKysely();
    // Whoever starts a run refers to the row, and so waits for the end of this.
    const { rows } = await sql<HeldRepository>`
      select p.tenant_id as "tenantId", t.name as tenant, p.id, p.full_name as "fullName", p.installation_id as "installationId",
        (select count(*) from runs r where r.tenant_id = p.tenant_id and r.repository_id = p.id
          and r.status in ('pending', 'running'))::int as "activeRuns"
      from repositories p join tenants t on t.id = p.tenant_id
      where p.host = ${host} and p.external_id = ${number} for update of p`.execute(kysely);
    const [held] = rows;
    if (held === undefined) return { ok: false, message: `No tenant has the repository ${number} of ${host}` };
    const { tenantId, tenant, id, fullName, installationId, activeRuns } = held;
    if (activeRuns > 0)
      return { ok: false, message: `${fullName} has ${activeRuns} active runs: cancel them, or let them end` };
    await sql`
      update repositories set external_id = 'released:' || id, owner_external_id = 'released:' || owner_external_id,
        installation_id = null, updated_at = now()
      where tenant_id = ${tenantId} and id = ${id}`.execute(kysely);
    await sql`
      delete from installations i where i.host = ${host} and i.external_id = ${installationId} and i.tenant_id = ${tenantId}
        and not exists (select 1 from repositories p
          where p.tenant_id = i.tenant_id and p.host = i.host and p.installation_id = i.external_id)`.execute(kysely);
    return { ok: true, made: { repository: fullName, releasedBy: tenant } };
  });
}
