import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import type { Caller, Scope } from './caller.ts';
import { ensureTenant } from './ensure-tenant.ts';
import { hashToken, newToken } from './token.ts';

export const TenantName = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 of a-z, 0-9 and -');
export const NewPerson = z.strictObject({
  login: z.string().regex(/^[A-Za-z0-9._@+-]{1,100}$/, 'must be 1 to 100 letters, digits or . _ @ + -'),
  displayName: z.string().min(1).max(255).nullish(),
});

/** The tenant that the operator's own token belongs to: only its admins make others. */
export const operatorTenant = 'default';

export interface Person {
  id: string;
  login: string;
  displayName: string | null;
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

interface WantedPerson extends z.input<typeof NewPerson> {
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
    const person = await insertPerson(em, tenantId, parsed.data);
    if (person === undefined) return taken(given.login);
    const token = await tokenFor(em, { tenantId, userId: person.id, name: `first of ${person.login}`, scopes });
    return { ok: true, made: { ...person, tenant, token } };
  });
}

/** A person of the caller's own tenant. */
export async function addPerson(
  database: Database,
  { tenantId }: Caller,
  given: z.infer<typeof NewPerson>,
): Promise<Created<Person>> {
  return await inTenant(database, tenantId, async (em) => {
    const person = await insertPerson(em, tenantId, given);
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

/** Undefined when the login is taken, by a person or a service. */
async function insertPerson(
  em: EntityManager,
  tenantId: string,
  { login, displayName = null }: z.infer<typeof NewPerson>,
): Promise<Person | undefined> {
  const { rows } = await sql<Person>`
    insert into users (tenant_id, login, display_name, kind) values (${tenantId}, ${login}, ${displayName}, 'person')
    on conflict do nothing returning id, login, display_name as "displayName"`.execute(em.getKysely());
  return rows[0];
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
