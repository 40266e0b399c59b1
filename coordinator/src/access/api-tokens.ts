import { Scope } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
import type { JobIdentity } from './identify-job.ts';
import { hashToken, newToken } from './token.ts';

export const CreateApiTokenInput = z
  .strictObject({
    name: z.string().min(1).max(255),
    scopes: z.array(Scope).min(1).max(Scope.options.length),
    /** Absent: it may be used for every repository of the tenant. */
    repositoryId: z.uuid().nullish(),
    /** Whom it acts for: a person or service of the tenant. Absent: whoever makes it. */
    login: z.string().nullish(),
    expiresInDays: z.int().min(1).max(3650).nullish(),
  })
  .refine(({ scopes, repositoryId }) => repositoryId == null || !scopes.includes('admin'), {
    path: ['scopes'],
    message: 'ADMIN is for the whole tenant; leave out repositoryId, or take other scopes',
  });
export type CreateApiTokenInput = z.infer<typeof CreateApiTokenInput>;

export interface ApiTokenView {
  id: string;
  name: string;
  scopes: Scope[];
  expiresAt: string | null;
  createdAt: string;
}

type Created =
  | { ok: true; token: string; apiToken: ApiTokenView }
  | { ok: false; error: { code: 'NOT_FOUND'; what: 'repository' | 'person' } };

/** A new token of the caller's tenant. Its text is in the answer and nowhere else, ever. */
export async function createApiToken(database: Database, caller: Caller, input: CreateApiTokenInput): Promise<Created> {
  const token = newToken('api');
  const login = input.login ?? null;
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await sql<ApiTokenView>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, expires_at)
      select ${caller.tenantId}, ${input.name}, ${hashToken(token)}, 'api', ${input.scopes}::text[], r.id, u.id,
        now() + ${input.expiresInDays ?? null}::int * interval '1 day'
      from users u left join repositories r on r.tenant_id = u.tenant_id and r.id = ${input.repositoryId ?? null}::uuid
      where u.tenant_id = ${caller.tenantId} and (case when ${login}::text is null then u.id = ${caller.userId} else u.login = ${login} end)
        and u.disabled_at is null
        and ( ${input.repositoryId ?? null}::uuid is null or r.id is not null)
      returning id, name, scopes, expires_at as "expiresAt", created_at as "createdAt"`.execute(em.getKysely());
    const apiToken = rows[0];
    if (apiToken !== undefined) return { ok: true, token, apiToken };
    return { ok: false, error: { code: 'NOT_FOUND', what: login === null ? 'repository' : 'person' } };
  });
}

/** The longest that an old token may go on beside its successor. */
export const mostGraceHours = 24 * 7;

type Rotated = { ok: true; token: string; apiToken: ApiTokenView } | { ok: false; why: 'gone' | 'rotated' };

/**
 * A new token in the place of an old one: the same name, rights, owner and span of life. The old one ends after the hours of
 * grace, or earlier where it would have, and is not rotated again: it has one successor.
 */
export async function rotateApiToken(
  database: Database,
  { tenantId }: Caller,
  { id, graceHours }: { id: string; graceHours: number },
): Promise<Rotated> {
  const token = newToken('api');
  return await inTenant(database, tenantId, async (em): Promise<Rotated> => {
    const kysely = em.getKysely();
    // Held first: of two rotations beside each other the second sees what the first one did, and so it does of a revocation.
    const { rows: held } = await sql<{ isRotated: boolean }>`
      select rotated_at is not null as "isRotated" from api_tokens
      where id = ${id} and kind = 'api' and revoked_at is null and coalesce(expires_at > now(), true)
      for update`.execute(kysely);
    const [old] = held;
    if (old === undefined) return { ok: false, why: 'gone' };
    if (old.isRotated) return { ok: false, why: 'rotated' };
    const { rows } = await sql<ApiTokenView>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, expires_at)
      select o.tenant_id, o.name, ${hashToken(token)}, 'api', o.scopes, o.repository_id, o.user_id,
        now() + (o.expires_at - o.created_at)
      from api_tokens o where o.id = ${id}
      returning id, name, scopes, expires_at as "expiresAt", created_at as "createdAt"`.execute(kysely);
    const [apiToken] = rows;
    if (apiToken === undefined) throw new Error(`token ${id} vanished while it was rotated`);
    await sql`
      update api_tokens set rotated_at = now(),
        expires_at = least(expires_at, now() + ${graceHours} * interval '1 hour')
      where id = ${id}`.execute(kysely);
    return { ok: true, token, apiToken };
  });
}

/** Ends a token at once, for every replica; false when the tenant has none with this id. A revoked one stays revoked. */
export async function revokeApiToken(database: Database, caller: Caller, tokenId: string): Promise<boolean> {
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await sql<{ id: string }>`
      update api_tokens set revoked_at = coalesce(revoked_at, now())
      where tenant_id = ${caller.tenantId} and id = ${tokenId} returning id`.execute(em.getKysely());
    return rows.length > 0;
  });
}

export interface RunToken {
  token: string;
  expiresAt: string;
  reporting: 'APP' | 'NONE';
}

/** A token of 15 minutes for the job, bound to its repository, workflow run and attempt. */
export async function exchangeToken(
  database: Database,
  job: JobIdentity,
  hasApp: (host: string) => boolean,
): Promise<RunToken> {
  const token = newToken('run');
  const scopes: Scope[] = ['runs:read', 'runs:write', ...(job.isOnBaseBranch ? (['baseline:write'] as const) : [])];
  const { workflowRunId, workflowRunAttempt } = job.claims;
  const expiresAt = await asWorker(database, async (em) => {
    const { rows } = await sql<{ expiresAt: string }>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, claims, expires_at)
      values (${job.tenantId}, ${`workflow run ${workflowRunId}.${workflowRunAttempt}`}, ${hashToken(token)}, 'run', ${scopes}::text[],
        ${job.repositoryId}, ${job.userId}, ${JSON.stringify(job.claims)}::jsonb, now() + interval '15 minutes')
      returning expires_at as "expiresAt"`.execute(em.getKysely());
    return rows[0]?.expiresAt ?? '';
  });
  return { token, expiresAt, reporting: hasApp(job.claims.host) && job.hasInstallation ? 'APP' : 'NONE' };
}
