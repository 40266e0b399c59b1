import type { EntityManager } from '@mikro-orm/postgresql';
import { Role, type Scope } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database, inTenant, readInTenant } from '../database/transactions.ts';
import type { Caller } from './caller.ts';
import { ensureTenant } from './ensure-tenant.ts';
import { hashToken, newToken } from './token.ts';

export const TenantName = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 of a-z, 0-9 and -');
export const NewPerson = z.strictObject({
  login: z.string().regex(/^[A-Za-z0-9._@+-]{1,100}$/, 'must be 1 to 100 letters, digits or . _ @ + -'),
  displayName: z.string().min(1).max(255).nullish(),
  role: Role.default('writer'),
});
export type NewPerson = z.input<typeof NewPerson>;

/** The tenant that the operator's own token belongs to: only its admins make others. */
export const operatorTenant = 'default';

export interface Person {
  id: string;
  login: string;
  displayName: string | null;
  kind: 'person' | 'service';
  role: Role;
  disabledAt: string | null;
}

type Refused = { ok: false; path: string; code: 'duplicate' | 'not_found' | 'invalid_format'; message: string };
type Created<Made> = { ok: true; made: Made } | Refused;

export interface CreatedTenant {
  tenant: string;
  tenantId: string;
  /** An admin token for it: shown this once. */
  token: string;
}

/** A tenant with a first admin token. One that exists gets a further token where that is allowed. */
export async function createTenant(
  database: Database,
  { name, mayExist }: { name: string; mayExist: boolean },
): Promise<Created<CreatedTenant>> {
  const parsed = TenantName.safeParse(name);
  if (!parsed.success) return refused('name', 'invalid_format', `The name ${parsed.error.issues[0]?.message ?? ''}`);
  const isThere = await asWorker(database, async (em) => (await tenantCalled(em, name)) !== undefined);
  if (isThere && !mayExist) return refused('name', 'duplicate', `There is a tenant ${name} already`);
  const { tenantId, userId } = await ensureTenant(database, name, 'admin');
  const token = await asWorker(database, (em) =>
    tokenFor(em, { tenantId, userId, name: 'first admin', scopes: ['admin'] }),
  );
  return { ok: true, made: { tenant: name, tenantId, token } };
}

interface WantedPerson extends NewPerson {
  tenant: string;
  scopes: Scope[];
}

/** A person of a tenant with a token that acts for them, as the operator asks for it. */
export async function createPerson(
  database: Database,
  { tenant, scopes, ...given }: WantedPerson,
): Promise<Created<Person & { tenant: string; token: string }>> {
  const parsed = NewPerson.safeParse(given);
  if (!parsed.success) return refused('login', 'invalid_format', `The login ${parsed.error.issues[0]?.message ?? ''}`);
  return await asWorker(database, async (em) => {
    const tenantId = await tenantCalled(em, tenant);
    if (tenantId === undefined) return refused('tenant', 'not_found', `There is no tenant ${tenant}`);
    const person = await insertPrincipal(em, tenantId, { ...parsed.data, kind: 'person' });
    if (person === undefined) return taken(given.login);
    const token = await tokenFor(em, { tenantId, userId: person.id, name: `first of ${person.login}`, scopes });
    return { ok: true, made: { ...person, tenant, token } };
  });
}

/** A person or a service of the caller's own tenant. */
export async function addPrincipal(
  database: Database,
  { tenantId }: Caller,
  given: z.infer<typeof NewPerson> & Pick<Person, 'kind'>,
): Promise<Created<Person>> {
  return await inTenant(database, tenantId, async (em) => {
    const person = await insertPrincipal(em, tenantId, given);
    return person === undefined ? taken(given.login) : { ok: true, made: person };
  });
}

const refused = (path: string, code: Refused['code'], message: string): Refused => ({ ok: false, path, code, message });
const taken = (login: string): Refused =>
  refused('login', 'duplicate', `There is somebody with the login ${login} already`);

async function tenantCalled(em: EntityManager, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from tenants where name = ${name}`.execute(em.getKysely());
  return rows[0]?.id;
}

/** What is known of somebody, as it is shown. */
const principalColumns = sql`id, login, display_name as "displayName", kind, role, disabled_at as "disabledAt"`;

/** Undefined when the login is taken, by a person or a service. */
async function insertPrincipal(
  em: EntityManager,
  tenantId: string,
  { login, displayName = null, kind, role }: z.infer<typeof NewPerson> & Pick<Person, 'kind'>,
): Promise<Person | undefined> {
  const { rows } = await sql<Person>`
    insert into users (tenant_id, login, display_name, kind, role) values (${tenantId}, ${login}, ${displayName}, ${kind}, ${role})
    on conflict do nothing returning ${principalColumns}`.execute(em.getKysely());
  return rows[0];
}

export interface PrincipalChange {
  id: string;
  /** Absent: as it is. */
  role?: Role | undefined;
  isDisabled?: boolean | undefined;
}

/** Changes what somebody may be, from the next request on; null when the tenant has nobody with this id. */
export async function changePrincipal(
  database: Database,
  { tenantId }: Caller,
  { id, role, isDisabled }: PrincipalChange,
): Promise<Person | null> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<Person>`
      update users set role = coalesce(${role ?? null}, role),
        disabled_at = case ${isDisabled ?? null}::boolean when true then coalesce(disabled_at, now()) when false then null else disabled_at end
      where id = ${id} returning ${principalColumns}`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** Some of the people and services of the tenant in the order of their logins, from the one behind `from` on. */
export async function listPrincipals(
  database: Database,
  tenantId: string,
  { from, isBackwards, size }: { from: readonly string[] | null; isBackwards: boolean; size: number },
): Promise<(Person & { position: string[] })[]> {
  const [comparison, direction] = isBackwards ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const behind = from === null ? sql`true` : sql`login ${comparison} ${from[0]}`;
  return await readInTenant(
    database,
    tenantId,
    sql<Person & { position: string[] }>`
      select ${principalColumns}, array[login] as position from users
      where ${behind} order by login ${direction} limit ${size + 1}`,
  );
}

async function tokenFor(
  em: EntityManager,
  { tenantId, userId, name, scopes }: { tenantId: string; userId: string; name: string; scopes: readonly Scope[] },
): Promise<string> {
  const token = newToken('api');
  await sql`
    insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id)
    values (${tenantId}, ${name}, ${hashToken(token)}, 'api', ${scopes}::text[], ${userId})`.execute(em.getKysely());
  return token;
}
