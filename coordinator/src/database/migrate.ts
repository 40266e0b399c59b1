import { setTimeout as pause } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { chaosPoint } from './chaos.ts';
import { type MigrationStep, migrations, migrationsTable, whyNotCarriedOn } from './migrations.ts';
import { ormOptions } from './orm-options.ts';
import { appRole, ensureRoles, loginOf, ownerRole, workerRole } from './roles.ts';

/** Any number; the same in every replica, so that one migrates and the others wait. */
const migrationLock = 7_077_283_451;
/** A migration that waits for a lock stops everybody who comes after it: it gives up soon, and comes again. */
const lockTimeoutMs = 3_000;
const lockAskMs = 200;
const mostTries = 20;
const restMs = 2_000;

interface MigrateUrls {
  /** A login that may create roles and tables. */
  databaseUrl: string;
  appUrl: string;
  workerUrl: string;
}

type Migrating = {
  /** In the order in which they run; tests add some of their own. */
  steps?: readonly MigrationStep[];
  /** Told when somebody holds a lock that a migration needs. */
  onWaiting?: (message: string) => void;
};

/** `applied`: the migrations that ran now, none when there was nothing to do. `problem`: this database can never be brought there. */
export type Migrated = { ok: true; applied: string[] } | { ok: false; problem: string };

/** Brings the database to this version's schema. */
export async function migrate(
  { databaseUrl, appUrl, workerUrl }: MigrateUrls,
  { steps = migrations, onWaiting = () => undefined }: Migrating = {},
): Promise<Migrated> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await takeLock(client);
    const ran = await whatRan(client);
    const problem = whyNotCarriedOn(ran);
    if (problem !== undefined) return { ok: false, problem };
    await ensureRoles(client, [loginOf(appRole, appUrl), loginOf(workerRole, workerUrl)]);
    await chaosPoint('in_migration');
    if (steps.every(({ name }) => ran.includes(name))) return { ok: true, applied: [] };
    return { ok: true, applied: await applyMigrations(databaseUrl, { steps, onWaiting }) };
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}

/** Asks again and again: whoever waits inside a statement is waited for by an index that is built beside all statements. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      migrationLock,
    ]);
    if (rows[0]?.taken === true) return;
    await pause(lockAskMs);
  }
}

async function whatRan(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select 1 where to_regclass('public.${migrationsTable}') is not null`);
  if (found.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${migrationsTable} order by name`);
  return rows.map(({ name }) => name);
}

/** Each migration in a transaction of its own: what is done stays done when a later one has to wait. */
async function applyMigrations(databaseUrl: string, { steps: all, onWaiting }: Required<Migrating>): Promise<string[]> {
  const orm = await openOwner(databaseUrl, all);
  const done: string[] = [];
  try {
    for (let attempt = 1; ; attempt += 1) {
      const pending = new Set((await orm.migrator.getPending()).map(({ name }) => name));
      const steps = all.filter(({ name }) => pending.has(name));
      if (steps.length === 0) return done;
      await noteNeeds(orm, steps);
      try {
        const ran = await orm.migrator.up({ migrations: steps.map(({ name }) => name) });
        done.push(...ran.map(({ name }) => name));
        await noteNeeds(orm, steps);
      } catch (error) {
        if (attempt === mostTries || !isLockTimeout(error)) throw error;
        onWaiting(`a migration waits for a lock on its table; attempt ${attempt} of ${mostTries}`);
        await pause(restMs);
      }
    }
  } finally {
    await orm.close(true);
  }
}

/** Coordinators that do not know what a step needs refuse to start: before it begins, and from then on. */
async function noteNeeds(orm: MikroORM, steps: readonly MigrationStep[]): Promise<void> {
  const needs = steps.flatMap((step) => step.needs ?? []);
  const connection = orm.em.getConnection();
  const [{ exists } = {}] = await connection.execute(`select to_regclass('public.schema_needs') is not null as exists`);
  if (exists !== true) return;
  for (const name of needs)
    await connection.execute('insert into schema_needs (name) values (?) on conflict do nothing', [name]);
}

function isLockTimeout(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ('code' in at && at.code === '55P03') return true;
  return false;
}

/** A connection that owns the tables: for migrations and for comparing the schema with the entities, nothing else. */
export async function openOwner(databaseUrl: string, steps: readonly MigrationStep[] = migrations): Promise<MikroORM> {
  return MikroORM.init({
    ...ormOptions,
    clientUrl: databaseUrl,
    // Tables belong to the role and not to the login, so any member of the role can change them later.
    driverOptions: { options: `-c role=${ownerRole}`, lock_timeout: lockTimeoutMs },
    extensions: [Migrator],
    migrations: {
      tableName: migrationsTable,
      migrationsList: [...steps],
      snapshot: false,
      allOrNothing: false,
      silent: true,
    },
  });
}
