import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { RunClaims } from './caller.ts';
import { claimInstallation, tenantOfInstallation } from './claim-installation.ts';
import { type ClaimPins, matchesPins } from './claim-pins.ts';
import { ensureServiceUser } from './ensure-tenant.ts';
import type { VerifiedJobToken, VerifyJobToken } from './verify-job-token.ts';

const events: ReadonlySet<string> = new Set(['pull_request', 'push', 'merge_group', 'workflow_dispatch', 'schedule']);

/** A CI job whose token was checked and whose repository is enrolled. */
export interface JobIdentity {
  tenantId: string;
  userId: string;
  repositoryId: string;
  claims: RunClaims;
  /** The job runs on the branch whose runs others are compared with, as the forge or an admin named it. */
  isOnBaseBranch: boolean;
  hasInstallation: boolean;
}

type Identified = { ok: true; job: JobIdentity } | { ok: false; code: 'UNAUTHENTICATED' | 'FORBIDDEN' | 'UNAVAILABLE' };

export type JobPorts = {
  database: Database;
  verify: VerifyJobToken;
  /** Null: repositories are enrolled by an admin only. */
  installations: Pick<FeedbackPort, 'confirmInstallation'> | null;
};

/** Who a CI job is. Its token is used up by this, also when the repository turns out to have no rights. */
export async function identifyJob({ database, verify, installations }: JobPorts, bearer: string): Promise<Identified> {
  const verified = await verify(bearer);
  if (!verified.ok) return verified;
  const { token } = verified;
  if (!(await useOnce(database, token))) return { ok: false, code: 'UNAUTHENTICATED' };
  if (!events.has(token.claims.event)) return { ok: false, code: 'FORBIDDEN' };
  const enrolled =
    (await findEnrolled(database, token.claims)) ?? (await enrollInstalled(database, installations, token.claims));
  if (enrolled === null || !matchesPins(enrolled.pins, token.pinned)) return { ok: false, code: 'FORBIDDEN' };
  return { ok: true, job: await toIdentity(database, enrolled, token.claims) };
}

/** False when the token was used before. */
export async function useOnce(
  database: Database,
  { jti, expiresAtSeconds }: Pick<VerifiedJobToken, 'jti' | 'expiresAtSeconds'>,
): Promise<boolean> {
  return await asWorker(database, async (em) => {
    // A minute longer than it is valid: the clock of a replica may be that far behind.
    const { rows } = await sql`
      insert into used_token_ids (jti, expires_at) values (${jti}, to_timestamp(${expiresAtSeconds}) + interval '1 minute')
      on conflict do nothing returning jti`.execute(em.getKysely());
    return rows.length === 1;
  });
}

interface Enrolled {
  tenantId: string;
  repositoryId: string;
  defaultBranch: string | null;
  baselineBranches: readonly string[];
  installationId: string | null;
  pins: ClaimPins | null;
}

async function findEnrolled(database: Database, { host, repositoryId, ownerId }: RunClaims): Promise<Enrolled | null> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<Enrolled>`
      select tenant_id as "tenantId", id as "repositoryId", default_branch as "defaultBranch",
        baseline_branches as "baselineBranches", installation_id as "installationId", claim_pins as pins
      from repositories where host = ${host} and external_id = ${repositoryId} and owner_external_id = ${ownerId}`.execute(
      em.getKysely(),
    );
    return rows[0] ?? null;
  });
}

async function enrollInstalled(
  database: Database,
  installations: JobPorts['installations'],
  claims: RunClaims,
): Promise<Enrolled | null> {
  if (installations === null || (await isKnown(database, claims))) return null;
  const { host } = claims;
  const repository = { host, externalId: claims.repositoryId, fullName: claims.repository };
  const confirmed = await installations.confirmInstallation(repository, claims.ownerId);
  if (confirmed === null) return null;
  const { installationId, defaultBranch } = confirmed;
  return await asWorker(database, async (em) => {
    // The tenant that the installation belongs to already, else the only one there is.
    const tenantId = (await tenantOfInstallation(em, host, installationId)) ?? (await onlyTenant(em));
    if (tenantId === null || !(await claimInstallation(em, { host, installationId, tenantId }))) return null;
    const { rows } = await sql<Enrolled>`
      insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, installation_id, default_branch)
      values (${tenantId}, ${host}, ${claims.repositoryId}, ${claims.ownerId}, ${claims.repository}, ${installationId}, ${defaultBranch})
      on conflict (host, external_id) do update set full_name = excluded.full_name
        where repositories.tenant_id = excluded.tenant_id
      returning tenant_id as "tenantId", id as "repositoryId", default_branch as "defaultBranch",
        baseline_branches as "baselineBranches", installation_id as "installationId", claim_pins as pins`.execute(
      em.getKysely(),
    );
    return rows[0] ?? null;
  });
}

async function onlyTenant(em: EntityManager): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select id from tenants limit 2`.execute(em.getKysely());
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

/** A repository that changed its owner stays refused until it is enrolled again by hand. */
async function isKnown(database: Database, { host, repositoryId }: RunClaims): Promise<boolean> {
  return await asWorker(database, async (em) => {
    const { rows } =
      await sql`select 1 from repositories where host = ${host} and external_id = ${repositoryId}`.execute(
        em.getKysely(),
      );
    return rows.length > 0;
  });
}

async function toIdentity(database: Database, enrolled: Enrolled, claims: RunClaims): Promise<JobIdentity> {
  const userId = await asWorker(database, async (em) => {
    // The name is display text: it follows renames.
    await sql`
      update repositories set full_name = ${claims.repository}, updated_at = now()
      where tenant_id = ${enrolled.tenantId} and id = ${enrolled.repositoryId} and full_name <> ${claims.repository}`.execute(
      em.getKysely(),
    );
    return await ensureServiceUser(em, enrolled.tenantId, { login: 'ci', role: 'ci' });
  });
  const { defaultBranch, baselineBranches } = enrolled;
  const branches = [...(defaultBranch === null ? [] : [defaultBranch]), ...baselineBranches];
  return {
    tenantId: enrolled.tenantId,
    userId,
    repositoryId: enrolled.repositoryId,
    claims,
    isOnBaseBranch:
      branches.some((branch) => claims.ref === `refs/heads/${branch}`) &&
      ['push', 'schedule', 'workflow_dispatch'].includes(claims.event),
    hasInstallation: enrolled.installationId !== null,
  };
}
