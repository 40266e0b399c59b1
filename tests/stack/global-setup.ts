import type { TestProject } from 'vitest/node';
import { createDatabase, databaseName, dropDatabase, migrateDatabase } from './databases.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { buildPrograms } from './programs.ts';
import './provided-context.ts';

/**
 * Starts one Postgres and one NATS for all test files of a project; `inject('postgresUrl')` and `inject('natsUrl')` lead there.
 * The schema is built once: every test file has a copy of it.
 * @public vitest calls it
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  // Meanwhile on the other core; what went wrong is told where it is waited for.
  const programs = buildPrograms();
  programs.catch(() => undefined);
  const postgres = starting.use(await startPostgres({ fast: true }));
  const nats = starting.use(await startNats());
  const migrated = await createDatabase(postgres.url);
  starting.defer(() => dropDatabase(postgres.url, migrated));
  await migrateDatabase(migrated);
  project.provide('postgresUrl', postgres.url);
  project.provide('migratedDatabase', databaseName(migrated));
  project.provide('natsUrl', nats.url);
  project.provide('programs', await programs);
  // From here on the servers end with the tests; before, with whatever failed.
  const started = starting.move();
  return () => started.disposeAsync();
}
