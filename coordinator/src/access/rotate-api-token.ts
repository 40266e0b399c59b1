import { sql } from 'kysely';
import { type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
import type { ApiTokenView } from './create-api-token.ts';
import { hashToken, newToken } from './token.ts';

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
