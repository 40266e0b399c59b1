import { PinnedClaim } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { Caller } from './caller.ts';
import type { ClaimPins } from './claim-pins.ts';
import { noteInstallation } from './follow-installation.ts';
import { useOnce } from './identify-job.ts';
import type { VerifyJobToken } from './verify-job-token.ts';

const digits = z.string().regex(/^\d{1,20}$/, 'must be the number of the forge');

const branch = z.string().min(1).max(255);

export const EnrollRepositoryInput = z.strictObject({
  host: z.string().min(1).max(255),
  /** Numbers of the forge: names grant nothing. */
  repositoryId: digits,
  ownerId: digits,
  fullName: z
    .string()
    .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be like owner/name')
    .nullish(),
  defaultBranch: branch.nullish(),
  /** Absent: those that are known stay. */
  baselineBranches: z.array(branch).max(50).nullish(),
  /** An OIDC token that a job of the repository was given for this coordinator. */
  proof: z.string().max(16_384).nullish(),
});
export type EnrollRepositoryInput = z.infer<typeof EnrollRepositoryInput>;

/** Of what is absent nothing changes. */
export const UpdateRepositoryInput = EnrollRepositoryInput.pick({ defaultBranch: true, baselineBranches: true }).extend(
  {
    id: z.uuid(),
    claimPins: z
      .array(z.strictObject({ claim: PinnedClaim, value: z.string().min(1).max(2048) }))
      .max(PinnedClaim.options.length)
      .refine((pins) => new Set(pins.map(({ claim }) => claim)).size === pins.length, 'a claim is pinned twice')
      .nullish(),
  },
);

export interface RepositoryView {
  id: string;
  host: string;
  externalId: string;
  ownerExternalId: string;
  fullName: string;
  defaultBranch: string | null;
  baselineBranches: string[];
  claimPins: ClaimPins | null;
}

/** `UNPROVEN`: nobody has shown that the repository is his. `TAKEN` is told to those only who have. */
type Refusal = 'UNPROVEN' | 'WRONG_PROOF' | 'TAKEN' | 'UNAVAILABLE';

type Enrolled = { ok: true; repository: RepositoryView } | { ok: false; error: { code: Refusal } };

export interface EnrolmentPorts {
  database: Database;
  verify: VerifyJobToken;
  /** Null without an App. */
  installations: Pick<FeedbackPort, 'confirmInstallation'> | null;
  /** The operator vouches for the admins of all tenants: none of them enrols what is not his. */
  trustsAdmins: boolean;
}

/**
 * Lets the jobs of a repository in, for the one tenant that has shown that it is his. The numbers of a repository are no
 * secret: whoever enrols it gets the tokens of its jobs, and with the App reads its commits and writes its checks. Without
 * proof an admin only names anew what his tenant has already.
 */
export async function enrollRepository(
  ports: EnrolmentPorts,
  caller: Caller,
  input: EnrollRepositoryInput,
): Promise<Enrolled> {
  const hasProof = input.proof != null;
  const refusal = input.proof == null ? null : await whyNoProof(ports, input, input.proof);
  if (refusal !== null) return { ok: false, error: { code: refusal } };
  const repository =
    hasProof || ports.trustsAdmins
      ? await enroll(ports.database, caller, input)
      : await rename(ports.database, caller, input);
  if (repository !== null && hasProof) await findApp(ports, caller, repository);
  if (repository !== null) return { ok: true, repository };
  // Whoever has proven nothing is answered alike, whether another tenant has the repository or nobody.
  return { ok: false, error: { code: hasProof ? 'TAKEN' : 'UNPROVEN' } };
}

/** The App may be there already, and no webhook would say so. */
async function findApp(
  { database, installations }: EnrolmentPorts,
  { tenantId }: Caller,
  { id, host, fullName, externalId, ownerExternalId }: RepositoryView,
): Promise<void> {
  const repository = { host, externalId, fullName };
  // The forge being down must not undo what was proven: the next webhook of the installation tells.
  const confirmed = await installations?.confirmInstallation(repository, ownerExternalId).catch(() => null);
  if (confirmed != null) await noteInstallation(database, { tenantId, id, host }, confirmed);
}

/** Null where a job of this very repository got the token. It is used up by this, whatever it proves. */
async function whyNoProof(
  { database, verify }: EnrolmentPorts,
  { host, repositoryId, ownerId }: EnrollRepositoryInput,
  proof: string,
): Promise<Refusal | null> {
  const verified = await verify(proof);
  if (!verified.ok) return verified.code === 'UNAVAILABLE' ? 'UNAVAILABLE' : 'WRONG_PROOF';
  if (!(await useOnce(database, verified.token))) return 'WRONG_PROOF';
  const { claims } = verified.token;
  const isOfJob = claims.host === host && claims.repositoryId === repositoryId && claims.ownerId === ownerId;
  return isOfJob ? null : 'WRONG_PROOF';
}

const view = sql`
  id, host, external_id as "externalId", owner_external_id as "ownerExternalId", full_name as "fullName",
  default_branch as "defaultBranch", baseline_branches as "baselineBranches", claim_pins as "claimPins"`;

/** Null when another tenant has it: of two that come at the same moment one gets it. */
async function enroll(
  database: Database,
  { tenantId }: Caller,
  {
    host,
    repositoryId,
    ownerId,
    fullName = null,
    defaultBranch = null,
    baselineBranches = null,
  }: EnrollRepositoryInput,
): Promise<RepositoryView | null> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RepositoryView>`
      insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch, baseline_branches)
      values (${tenantId}, ${host}, ${repositoryId}, ${ownerId}, ${fullName ?? repositoryId}, ${defaultBranch},
        coalesce(${baselineBranches}::text[], '{}'))
      on conflict (host, external_id) do update set owner_external_id = excluded.owner_external_id,
        full_name = coalesce(${fullName}, repositories.full_name),
        default_branch = coalesce(excluded.default_branch, repositories.default_branch),
        baseline_branches = coalesce(${baselineBranches}::text[], repositories.baseline_branches), updated_at = now()
        where repositories.tenant_id = excluded.tenant_id
      returning ${view}`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** Null when the tenant does not have it, or had it of another owner. */
async function rename(
  database: Database,
  { tenantId }: Caller,
  {
    host,
    repositoryId,
    ownerId,
    fullName = null,
    defaultBranch = null,
    baselineBranches = null,
  }: EnrollRepositoryInput,
): Promise<RepositoryView | null> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RepositoryView>`
      update repositories set full_name = coalesce(${fullName}, full_name),
        default_branch = coalesce(${defaultBranch}, default_branch),
        baseline_branches = coalesce(${baselineBranches}::text[], baseline_branches), updated_at = now()
      where tenant_id = ${tenantId} and host = ${host} and external_id = ${repositoryId} and owner_external_id = ${ownerId}
      returning ${view}`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** Says anew what its admin says of a repository; null when the tenant has none with this id. */
export async function updateRepository(
  database: Database,
  { tenantId }: Caller,
  { id, defaultBranch = null, baselineBranches = null, claimPins = null }: z.infer<typeof UpdateRepositoryInput>,
): Promise<RepositoryView | null> {
  const pins = claimPins && Object.fromEntries(claimPins.map(({ claim, value }) => [claim, value]));
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RepositoryView>`
      update repositories set default_branch = coalesce(${defaultBranch}, default_branch),
        baseline_branches = coalesce(${baselineBranches}::text[], baseline_branches),
        claim_pins = nullif(coalesce(${pins && JSON.stringify(pins)}::jsonb, claim_pins), '{}'), updated_at = now()
      where tenant_id = ${tenantId} and id = ${id} returning ${view}`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}
