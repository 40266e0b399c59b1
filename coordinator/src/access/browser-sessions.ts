import { sql } from 'kysely';
import { actAs } from '../database/acting.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
import { hashToken, newToken } from './token.ts';

/** How long a browser stays signed in, whatever it does. */
export const sessionHours = 12;
/** Whoever signs in once more ends the oldest of so many. */
const mostSessions = 50;

export interface OpenedSession {
  /** What the cookie holds. Only its hash is stored. */
  secret: string;
  expiresAt: string;
}

/**
 * Signs a browser in with the rights of a token. The session ends with the token, by signing out, or after its hours; null for
 * callers that are no person or program with a token of their own, and where the token has ended meanwhile.
 */
export async function openBrowserSession(database: Database, caller: Caller): Promise<OpenedSession | null> {
  if (caller.kind !== 'api') return null;
  const secret = newToken('session');
  return await actAs(caller, () =>
    inTenant(database, caller.tenantId, async (em) => {
      const kysely = em.getKysely();
      const { rows } = await sql<{ expiresAt: string }>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, parent_id, expires_at)
      select tenant_id, 'signed in with ' || name, ${hashToken(secret)}, 'session', scopes, repository_id, user_id, id,
        least(expires_at, now() + ${sessionHours} * interval '1 hour')
      from api_tokens where id = ${caller.tokenId} and kind = 'api' and revoked_at is null
      returning expires_at as "expiresAt"`.execute(kysely);
      const [opened] = rows;
      if (opened === undefined) return null;
      await sql`
      update api_tokens set revoked_at = now() where id in (
        select id from api_tokens where parent_id = ${caller.tokenId} and revoked_at is null
        order by created_at desc offset ${mostSessions})`.execute(kysely);
      return { secret, ...opened };
    }),
  );
}

/** Signs out: whoever still has the cookie opens nothing with it. */
export async function endBrowserSession(database: Database, caller: Caller): Promise<void> {
  const { tenantId, tokenId } = caller;
  await actAs(caller, () =>
    inTenant(database, tenantId, async (em) => {
      await sql`
      update api_tokens set revoked_at = coalesce(revoked_at, now())
      where id = ${tokenId} and kind = 'session'`.execute(em.getKysely());
    }),
  );
}
