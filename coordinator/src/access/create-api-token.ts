import { Scope } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
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
