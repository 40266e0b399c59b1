import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { environment } from '../stack/environment.ts';
import { startModelServer } from '../stack/model-server.ts';
import { startOwnNats } from '../stack/nats.ts';
import { type OwnPostgres, startOwnPostgres } from '../stack/postgres.ts';
import { startProduct } from '../stack/product.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { askGraphql, askToStart, modelSuite } from './running-product.ts';

const Started = z.object({ run: z.object({ id: z.string() }) });
const Progress = z.object({ run: z.object({ status: z.string(), totalCases: z.int(), passedCases: z.int() }) });
const progressQuery = 'query($id: UUID!) { run(id: $id) { status totalCases passedCases } }';

/** Kills one process of the server, or the whole of it, in the middle of a run; then the run must end as if nothing had been. */
async function surviveDeath(death: (postgres: OwnPostgres) => Promise<void>): Promise<void> {
  await using postgres = await startOwnPostgres();
  await using nats = await startOwnNats();
  await using model = await startModelServer({ rules: [{ reply: 'We open at 9 and close at 17.' }], delayMs: 50 });
  await using product = await startProduct({
    postgresUrl: postgres.url,
    programs: inject('programs'),
    nats,
    modelUrl: model.url,
    coordinatorEnv: { PROOFMARK_LEASE_MS: '5000', PROOFMARK_HEARTBEAT_MS: '500' },
  });
  const ask = (query: string, variables: Record<string, unknown> = {}) =>
    askGraphql(product.url, { query, variables, token: product.token });
  const suite = modelSuite({ cases: 20, repetitions: 2 });
  const { id } = Started.parse(await askToStart(ask, suite, 'postgres-killed')).run;
  await waitUntil(() => model.requests.length > 5, { what: 'the run is under way' });

  await death(postgres);

  const progress = async () => Progress.safeParse((await ask(progressQuery, { id })).data).data?.run;
  const ended = await waitUntil(
    async () => {
      const run = await progress();
      return run?.status === 'COMPLETED' ? run : undefined;
    },
    { what: 'the run is completed', detail: product.coordinator.log },
  );
  expect(ended).toMatchObject({ totalCases: 40, passedCases: 40 });
}

it('F34 a session of Postgres that is killed with -9 in the middle of a run restarts the server, and the run ends with one result per case', async () => {
  await surviveDeath(async ({ url }) => {
    const killer = new pg.Client({ connectionString: url });
    // The server takes this connection down with all others.
    killer.on('error', () => undefined);
    await killer.connect();
    const { rows } = await killer.query<{ pid: number }>(
      `select pid from pg_stat_activity where usename = 'proofmark_worker' limit 1`,
    );
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
  });
});

it('F35 a Postgres that is away for longer than two leases takes nothing from the runner, and the run ends with one result per case', async () => {
  await surviveDeath(async (postgres) => {
    await postgres.kill();
    // The time that it is away is what is claimed; two minutes are the long form.
    await pause(environment.PROOFMARK_TEST_OUTAGE_S * 1_000);
    await postgres.restart();
  });
}, 300_000);

it('F34 a whole Postgres that is killed with -9 and started again loses nothing that was committed, and the run ends with one result per case', async () => {
  await surviveDeath(async (postgres) => {
    await postgres.kill();
    await postgres.restart();
  });
});
