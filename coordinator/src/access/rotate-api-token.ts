import { sql } from 'kysely';
import { type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
import type { ApiTokenView } from './create-api-token.ts';
import { hashToken, newToken } from './token.ts';

/** The longest that an old token may go on beside its successor. */
export const mostGraceHours = 24 * 7;

/**
 * A new token in the place of an old one: the same name, rights, owner and span of life. The old one ends after the hours of
 * grace, or earlier where it would have. Null: there is none with this id that still opens anything.
 */
export async function rotateApiToken(
  database: Database,
  { tenantId }: Caller,
  { id, graceHours }: { id: string; graceHours: number },
): Promise<{ token: string; apiToken: ApiTokenView } | null> {
  const token = newToken('api');
  return await inTenant(database, tenantId, async (em) => {
    const kysely = em.getKysely();
    const { rows } = await sql<ApiTokenView>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, expires_at)
      select o.tenant_id, o.name, ${hashToken(token)}, 'api', o.scopes, o.repository_id, o.user_id,
        now() + (o.expires_at - o.created_at)
      from api_tokens o
      where o.id = ${id} and o.kind = 'api' and o.revoked_at is null and coalesce(o.expires_at > now(), true)
      returning id, name, scopes, expires_at as "expiresAt", created_at as "createdAt"`.execute(kysely);
    const [apiToken] = rows;
    if (apiToken === undefined) return null;
    await sql`
      update api_tokens set expires_at = least(expires_at, now() + ${graceHours} * interval '1 hour')
      where id = ${id}`.execute(kysely);
    return { token, apiToken };
  });
}
