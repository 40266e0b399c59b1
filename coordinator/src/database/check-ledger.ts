import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { migrations, migrationsTable, whyNotCarriedOn } from './migrations.ts';
import { ownerRole } from './roles.ts';
import { asNobody, asWorker, type Database } from './transactions.ts';

export interface LedgerFinding {
  /** `durability` alone may be waived, for tests on a database that is thrown away. */
  kind: 'version' | 'durability' | 'role' | 'schema';
  /** What is wrong and how to repair it, one line. */
  message: string;
}

const oldestPostgres = 150_000;

/** Why this coordinator must not work with this database; empty when everything is as it has to be. */
export async function checkLedger(database: Database): Promise<LedgerFinding[]> {
  const asApp = await asNobody(database, checkRole);
  const worker = await asWorker(database, async (em) => [
    ...(await checkServer(em)),
    ...(await checkRole(em)),
    ...(await checkSchema(em)),
    ...(await checkProtection(em)),
  ]);
  return [...worker, ...asApp];
}

async function checkServer(em: EntityManager): Promise<LedgerFinding[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit')`.execute(em.getKysely());
  const findings: LedgerFinding[] = [];
  for (const { name, setting } of rows) {
    if (name === 'server_version_num') {
      if (Number(setting) < oldestPostgres)
        findings.push({ kind: 'version', message: `Postgres ${setting} is too old: use 15 or newer` });
    } else if (setting === 'off') {
      findings.push({ kind: 'durability', message: `${name} is off, so a crash would lose results: switch it on` });
    }
  }
  return findings;
}

interface Role {
  name: string;
  superuser: boolean;
  bypassesRls: boolean;
  ownsTables: boolean;
  isOwner: boolean;
  makesTables: boolean;
}

async function checkRole(em: EntityManager): Promise<LedgerFinding[]> {
  const { rows } = await sql<Role>`
    select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as "bypassesRls",
      exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relowner = r.oid) as "ownsTables",
      pg_has_role(r.oid, (select oid from pg_roles where rolname = ${ownerRole}), 'member') as "isOwner",
      has_schema_privilege(r.oid, 'public', 'create') as "makesTables"
    from pg_roles r where r.rolname = current_user`.execute(em.getKysely());
  return rows.flatMap(({ name, ...rights }) => {
    const wrongs: [boolean | null, string][] = [
      [rights.superuser, 'a superuser'],
      [rights.bypassesRls, 'exempt from row-level security'],
      [rights.ownsTables, 'the owner of tables'],
      [rights.isOwner, `a member of ${ownerRole}`],
      [rights.makesTables, 'allowed to create tables in the schema public'],
    ];
    const what = wrongs.find(([isSo]) => isSo === true)?.[1] ?? null;
    return what === null
      ? []
      : [{ kind: 'role', message: `The login ${name} is ${what}: use one that is not, tenants would not be apart` }];
  });
}

/** Tables whose rows nothing keeps apart: somebody has switched off what the migrations switched on. */
async function checkProtection(em: EntityManager): Promise<LedgerFinding[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> ${migrationsTable}
      and not (c.relrowsecurity and c.relforcerowsecurity)
    order by 1`.execute(em.getKysely());
  if (rows.length === 0) return [];
  const names = rows.map(({ name }) => name).join(', ');
  const message = `Row-level security is not forced on ${names}: tenants would not be apart. Run alter table … enable row level security, force row level security on each`;
  return [{ kind: 'schema', message }];
}

/** Migrations of this version that have not run, and what a newer version has taken away. */
async function checkSchema(em: EntityManager): Promise<LedgerFinding[]> {
  const run = (await isThere(em, migrationsTable)) ? await namesIn(em, migrationsTable) : [];
  const problem = whyNotCarriedOn(run);
  if (problem !== undefined) return [{ kind: 'schema', message: problem }];
  const missing = migrations.filter(({ name }) => !run.includes(name)).map(({ name }) => name);
  const findings: LedgerFinding[] = [];
  if (missing.length > 0) {
    findings.push({
      kind: 'schema',
      message: `The schema lacks ${missing.join(', ')}: run the migrations (db:migrate)`,
    });
  }
  // Changes are expand first, contract later: a schema that is ahead serves everybody who knows what it needs.
  const needs = (await isThere(em, 'schema_needs')) ? await namesIn(em, 'schema_needs') : [];
  const unknown = needs.filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length > 0) {
    findings.push({
      kind: 'schema',
      message: `The schema is for coordinators that know ${unknown.join(', ')}: use a newer one`,
    });
  }
  return findings;
}

async function isThere(em: EntityManager, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass(${`public.${table}`}) is not null`.execute(em.getKysely());
  return rows.length > 0;
}

async function namesIn(em: EntityManager, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.ref(table)} order by 1`.execute(em.getKysely());
  return rows.map(({ name }) => name);
}
