import type { TestProject } from 'vitest/node';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import './provided-context.ts';

/**
 * Starts one Postgres and one NATS for all test files of a project; `inject('postgresUrl')` and `inject('natsUrl')` lead there.
 * @public vitest calls it
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres({ fast: true });
  const nats = await startNats();
  project.provide('postgresUrl', postgres.url);
  project.provide('natsUrl', nats.url);
  return async () => {
    await nats.stop();
    await postgres.stop();
  };
}
