import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort, Installation } from '../feedback/feedback-port.ts';
import { claimInstallation } from './claim-installation.ts';

interface Account {
  host: string;
  ownerExternalId: number;
}

interface KnownRepository {
  tenantId: string;
  id: string;
  fullName: string;
  externalId: string;
  hadApp: boolean;
}

/** More than an account has with us; the rest is found out when the next webhook comes. */
const mostRepositories = 500;

/**
 * Notes for each enrolled repository of an account whether the App is on it now. From then on the coordinator reports on it,
 * or the jobs do so themselves. What the webhook says is not asked: an older one may come later.
 */
export async function followInstallation(
  database: Database,
  forge: Pick<FeedbackPort, 'confirmInstallation'>,
  { host, ownerExternalId }: Account,
): Promise<void> {
  const owner = String(ownerExternalId);
  for (const { fullName, externalId, hadApp, ...key } of await repositoriesOf(database, host, owner)) {
    const confirmed = await forge.confirmInstallation({ host, externalId, fullName }, owner);
    if (confirmed !== null || hadApp) await noteInstallation(database, { ...key, host }, confirmed);
  }
}

/**
 * Whether the App is on a repository that a tenant has proven to be his: with it he gets the installation, unless another
 * tenant has it. Of the installation of another one he gets nothing, neither commits to read nor checks to write.
 */
export async function noteInstallation(
  database: Database,
  { tenantId, id, host }: RowKey & { host: string },
  confirmed: Installation | null,
): Promise<void> {
  await asWorker(database, async (em) => {
    const installationId = confirmed?.installationId ?? null;
    const isOwn = installationId !== null && (await claimInstallation(em, { host, installationId, tenantId }));
    await sql`
      update repositories set installation_id = ${isOwn ? installationId : null},
        default_branch = coalesce(${confirmed?.defaultBranch ?? null}, default_branch), updated_at = now()
      where tenant_id = ${tenantId} and id = ${id}`.execute(em.getKysely());
  });
}

async function repositoriesOf(database: Database, host: string, owner: string): Promise<KnownRepository[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<KnownRepository>`
      select tenant_id as "tenantId", id, full_name as "fullName", external_id as "externalId",
        installation_id is not null as "hadApp"
      from repositories where host = ${host} and owner_external_id = ${owner}
      order by created_at, id limit ${mostRepositories}`.execute(em.getKysely());
    return rows;
  });
}
