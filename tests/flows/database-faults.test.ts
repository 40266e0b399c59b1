import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { createDatabase, databaseName, dropDatabase } from '../stack/databases.ts';
import { startProcess } from '../stack/processes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import {
  askToStart,
  expectSoundLedger,
  modelSuite,
  patient,
  type RunningProduct,
  startRunningProduct,
} from './running-product.ts';

async function expectAllPassed(running: RunningProduct, runId: string, cases: number): Promise<void> {
  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: cases }, () => 'passed'));
  await expectSoundLedger(running.rows, runId);
}

const readiness = async ({ product }: RunningProduct) => (await fetch(`${product.url}/readyz`)).status;

const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity
  where usename in ('proofmark_app', 'proofmark_worker') and datname = current_database()`;

test('F40 F38 sessions of Postgres that are ended at random moments lose and double nothing', patient, async () => {
  await using running = await startRunningProduct({ runners: 2, delayMs: 30 });
  const runId = await running.start(modelSuite({ cases: 50, repetitions: 4 }));
  const isOver = async () =>
    (await running.rows(`select 1 from runs where id = $1 and status = 'completed'`, [runId])).length > 0;
  // Without an end a slow machine would lose its sessions faster than it gets on.
  let ended = 0;
  while (ended < 60 && !(await isOver())) {
    await running.rows(`${endSessions} order by random() limit 2`);
    ended++;
    await pause(150);
  }
  expect(ended).toBeGreaterThan(3);
  await expectAllPassed(running, runId, 200);
});

test(
  'F41 while the database takes no writes the coordinator is not ready, and a run goes on where it was when it does again',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 1 });
    const { model, rows, databaseUrl } = running;
    const name = databaseName(databaseUrl);
    model.hold();
    const runId = await running.start(modelSuite({ cases: 8 }));
    await model.whenInFlight(4);
    await rows(`alter database "${name}" set default_transaction_read_only = on`);
    await rows(endSessions);
    await waitUntil(async () => (await readiness(running)) === 503, { what: 'the coordinator is not ready' });
    expect((await askToStart(running.ask, modelSuite(), 'while read-only').catch(() => 'refused')) as unknown).toBe(
      'refused',
    );
    model.release();
    await rows(
      `begin; set transaction read write; alter database "${name}" reset default_transaction_read_only; commit`,
    );
    await rows(endSessions);
    await waitUntil(async () => (await readiness(running)) === 200, {
      what: 'the coordinator is ready',
    });
    await expectAllPassed(running, runId, 8);
  },
);

test(
  'F36 while the database takes no more connections requests are refused with 503, and all goes on when it does again',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 1 });
    const { model, rows, databaseUrl, product } = running;
    const name = databaseName(databaseUrl);
    model.hold();
    const runId = await running.start(modelSuite({ cases: 8 }));
    await model.whenInFlight(4);
    await rows(`alter database "${name}" connection limit 0`);
    await rows(endSessions);
    await waitUntil(async () => (await readiness(running)) === 503, { what: 'the coordinator is not ready' });
    const refused = await fetch(`${product.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${product.token}` },
      body: JSON.stringify({ query: '{ viewer { login } }' }),
    });
    expect(refused.status).toBe(503);
    model.release();
    await rows(`alter database "${name}" connection limit -1`);
    await waitUntil(async () => (await readiness(running)) === 200, { what: 'the coordinator is ready' });
    await expectAllPassed(running, runId, 8);
  },
);

test('F07 two coordinators that start together on an empty database make its tables once', patient, async () => {
  await using running = await startRunningProduct({ runners: 0 });
  const database = await createDatabase(inject('postgresUrl'));
  const ready = { line: z.looseObject({ ready: z.literal(true), url: z.url() }) };
  const env = {
    ...running.nats.loginOf('coordinator'),
    ...{ DATABASE_URL: database, PORT: '0', PROOFMARK_HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:1' },
    ...{ PROOFMARK_MIGRATE_ON_START: '1', PROOFMARK_ALLOW_LOSSY_DATABASE: '1' },
  };
  const replicas = await Promise.all(
    ['one', 'two'].map((name) => startProcess({ name, entry: inject('programs').coordinator, env, ready })),
  );
  try {
    for (const { ready: at } of replicas) expect((await fetch(`${at.url}/healthz`)).status).toBe(200);
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await dropDatabase(inject('postgresUrl'), database);
  }
});
