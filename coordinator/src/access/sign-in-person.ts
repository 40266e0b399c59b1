import type { Role } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import { type OpenedSession, sessionHours } from './browser-sessions.ts';
import { NewPerson } from './create-principals.ts';
import type { ProvidedPerson } from './sign-in-provider.ts';
import { hashToken, newToken } from './token.ts';

export interface SignInRules {
  /** Name of the tenant whose people sign in by name. */
  tenant: string;
  /** What somebody may be who was never here; null: an admin makes people first. */
  newcomers: Role | null;
}

type SignedIn = { ok: true; session: OpenedSession } | { ok: false; message: string };

/**
 * Signs in whom a provider vouches for. A person is known by what the provider never gives to somebody else; at the first time by
 * the login that an admin gave them. What they may do is what their role says at each request.
 */
export async function signInPerson(database: Database, rules: SignInRules, person: ProvidedPerson): Promise<SignedIn> {
  const { externalId, login, displayName } = person;
  const secret = newToken('session');
  return await asWorker(database, async (em): Promise<SignedIn> => {
    const kysely = em.getKysely();
    const { rows: tenants } = await sql<{ id: string }>`select id from tenants where name = ${rules.tenant}`.execute(
      kysely,
    );
    const tenantId = tenants[0]?.id;
    if (tenantId === undefined)
      return { ok: false, message: `There is no tenant ${rules.tenant} (PROOFMARK_SIGN_IN_TENANT).` };
    if (rules.newcomers !== null && NewPerson.safeParse({ login }).success) {
      await sql`
        insert into users (tenant_id, login, display_name, kind, role, external_id)
        select ${tenantId}, ${login}, ${displayName}, 'person', ${rules.newcomers}, ${externalId}
        where not exists (select from users where tenant_id = ${tenantId} and external_id = ${externalId})
        on conflict do nothing`.execute(kysely);
    }
    const { rows: found } = await sql<{ id: string; isDisabled: boolean }>`
      update users set external_id = ${externalId} where tenant_id = ${tenantId} and id = (
        select id from users where tenant_id = ${tenantId} and (external_id = ${externalId}
          or (external_id is null and login = ${login} and kind = 'person'))
        order by external_id nulls last limit 1)
      returning id, disabled_at is not null as "isDisabled"`.execute(kysely);
    const [user] = found;
    if (user === undefined)
      return { ok: false, message: `Nobody here has the login ${login}. An admin makes you one with createPerson.` };
    if (user.isDisabled) return { ok: false, message: `${login} may not sign in any more. Ask an admin.` };
    // Signing in is a deed of theirs.
    await sql`select set_config('app.user_id', ${user.id}, true)`.execute(kysely);
    const { rows } = await sql<{ expiresAt: string }>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id, expires_at)
      values (${tenantId}, 'signed in by name', ${hashToken(secret)}, 'session', '{admin}', ${user.id},
        now() + ${sessionHours} * interval '1 hour')
      returning expires_at as "expiresAt"`.execute(kysely);
    return { ok: true, session: { secret, expiresAt: rows[0]?.expiresAt ?? '' } };
  });
}
