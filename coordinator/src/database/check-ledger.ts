import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { migrations, migrationsTable } from './migrations.ts';
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
}

async function checkRole(em: EntityManager): Promise<LedgerFinding[]> {
  const { rows } = await sql<Role>`
    select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as "bypassesRls",
      exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind = 'r' and c.relowner = r.oid) as "ownsTables"
    from pg_roles r where r.rolname = current_user`.execute(em.getKysely());
  return rows.flatMap(({ name, ...rights }) => {
    const wrong = rights.superuser ? 'a superuser' : rights.bypassesRls ? 'exempt from row-level security' : null;
    const what = wrong ?? (rights.ownsTables ? 'the owner of tables' : null);
    return what === null
      ? []
      : [{ kind: 'role', message: `The login ${name} is ${what}: use one that is not, tenants would not be apart` }];
  });
}

/** Migrations of this version that have not run, and migrations that a newer version has run. */
async function checkSchema(em: EntityManager): Promise<LedgerFinding[]> {
  const exists = await sql`select 1 where to_regclass(${`public.${migrationsTable}`}) is not null`.execute(
    em.getKysely(),
  );
  const run = exists.rows.length === 0 ? [] : await executed(em);
  const missing = migrations.filter(({ name }) => !run.includes(name)).map(({ name }) => name);
  const unknown = run.filter((name) => !migrations.some((known) => known.name === name));
  const findings: LedgerFinding[] = [];
  if (missing.length > 0) {
    findings.push({
      kind: 'schema',
      message: `The schema lacks ${missing.join(', ')}: run the migrations (db:migrate)`,
    });
  }
  // Changes are expand first, contract later: one step ahead is how a rolling update begins.
  if (unknown.length > 1) {
    findings.push({ kind: 'schema', message: `The schema is ahead by ${unknown.join(', ')}: use a newer coordinator` });
  }
  return findings;
}

async function executed(em: EntityManager): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.ref(migrationsTable)}`.execute(em.getKysely());
  return rows.map(({ name }) => name);
}
