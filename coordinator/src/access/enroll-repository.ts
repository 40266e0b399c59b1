import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database, inTenant } from '../database/connect.ts';
import type { Caller } from './caller.ts';

const digits = z.string().regex(/^\d{1,20}$/, 'must be the number of the forge');

export const EnrollRepositoryInput = z.strictObject({
  host: z.string().min(1).max(255),
  /** Numbers of the forge: names grant nothing. */
  repositoryId: digits,
  ownerId: digits,
  fullName: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be like owner/name')
    .nullish(),
  defaultBranch: z.string().min(1).max(255).nullish(),
});
export type EnrollRepositoryInput = z.infer<typeof EnrollRepositoryInput>;

export interface RepositoryView {
  id: string;
  host: string;
  externalId: string;
  ownerExternalId: string;
  fullName: string;
  defaultBranch: string | null;
}

type Enrolled = { ok: true; repository: RepositoryView } | { ok: false; error: { code: 'TAKEN' } };

/** Lets the jobs of a repository in. Enrolling again takes over its new owner; a repository of another tenant is refused. */
export async function enrollRepository(
  database: Database,
  caller: Caller,
  input: EnrollRepositoryInput,
): Promise<Enrolled> {
  const { host, repositoryId, ownerId, fullName, defaultBranch } = input;
  const isTaken = await asWorker(database, async (em) => {
    const { rows } = await sql`
      select 1 from repositories where host = ${host} and external_id = ${repositoryId} and tenant_id <> ${caller.tenantId}`.execute(
      em.getKysely(),
    );
    return rows.length > 0;
  });
  if (isTaken) return { ok: false, error: { code: 'TAKEN' } };
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await sql<RepositoryView>`
      insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
      values (${caller.tenantId}, ${host}, ${repositoryId}, ${ownerId}, ${fullName ?? repositoryId}, ${defaultBranch ?? null})
      on conflict (tenant_id, host, external_id) do update set owner_external_id = excluded.owner_external_id,
        full_name = coalesce(${fullName ?? null}, repositories.full_name),
        default_branch = coalesce(excluded.default_branch, repositories.default_branch), updated_at = now()
      returning id, host, external_id as "externalId", owner_external_id as "ownerExternalId",
        full_name as "fullName", default_branch as "defaultBranch"`.execute(em.getKysely());
    const repository = rows[0];
    if (repository === undefined) throw new Error('an upsert returned no row');
    return { ok: true, repository };
  });
}
