import type { TestProject } from 'vitest/node';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import './provided-context.ts';

/**
 * Starts one Postgres and one NATS for all test files of a project; `inject('postgresUrl')` and `inject('natsUrl')` lead there.
 * @public vitest calls it
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const postgres = starting.use(await startPostgres({ fast: true }));
  const nats = starting.use(await startNats());
  project.provide('postgresUrl', postgres.url);
  project.provide('natsUrl', nats.url);
  // From here on the servers end with the tests; before, with whatever failed.
  const started = starting.move();
  return () => started.disposeAsync();
}
