import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { chaosPoint } from './chaos.ts';
import { migrations, migrationsTable } from './migrations.ts';
import { ormOptions } from './orm-options.ts';
import { appRole, ensureRoles, loginOf, ownerRole, workerRole } from './roles.ts';

/** Any number; the same in every replica, so that one migrates and the others wait. */
const migrationLock = 7_077_283_451;

interface MigrateUrls {
  /** A login that may create roles and tables. */
  databaseUrl: string;
  appUrl: string;
  workerUrl: string;
}

/** Brings the database to this version's schema and returns the migrations that ran, none when there was nothing to do. */
export async function migrate({ databaseUrl, appUrl, workerUrl }: MigrateUrls): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await ensureRoles(client, [loginOf(appRole, appUrl), loginOf(workerRole, workerUrl)]);
    await chaosPoint('in_migration');
    return await applyMigrations(databaseUrl);
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}

async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const orm = await openOwner(databaseUrl);
  try {
    const done = await orm.migrator.up();
    return done.map(({ name }) => name);
  } finally {
    await orm.close(true);
  }
}

/** A connection that owns the tables: for migrations and for comparing the schema with the entities, nothing else. */
export async function openOwner(databaseUrl: string): Promise<MikroORM> {
  return MikroORM.init({
    ...ormOptions,
    clientUrl: databaseUrl,
    // Tables belong to the role and not to the login, so any member of the role can change them later.
    driverOptions: { options: `-c role=${ownerRole}` },
    extensions: [Migrator],
    migrations: {
      tableName: migrationsTable,
      migrationsList: migrations,
      snapshot: false,
      allOrNothing: true,
      silent: true,
    },
  });
}
