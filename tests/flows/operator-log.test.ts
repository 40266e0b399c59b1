import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { inheritedEnvironment } from '../stack/environment.ts';
import { freePort } from '../stack/free-port.ts';
import { startOwnNats } from '../stack/nats.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { startProduct } from '../stack/product.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient } from './running-product.ts';

const Line = z.looseObject({ msg: z.string().optional(), ready: z.boolean().optional() });

/** A process of the product that is not waited for: it may have to wait itself. */
async function start(entry: string, env: Record<string, string>) {
  const lines: z.infer<typeof Line>[] = [];
  const child = await spawnOwned(process.execPath, [entry], {
    cwd: repositoryRoot,
    env: { ...inheritedEnvironment(), PORT: '0', PROOFMARK_HOST: '127.0.0.1', ...env },
    // Every line is JSON of one shape: a log that is no log fails here.
    onLine: (line) => void lines.push(Line.parse(JSON.parse(line))),
  });
  const said = () => lines.flatMap(({ msg }) => msg ?? []);
  return {
    said,
    child,
    whenSaid: async (pattern: RegExp) =>
      await waitUntil(() => said().some((text) => pattern.test(text)), {
        what: `the log says ${pattern}`,
        detail: child.log,
      }),
    whenReady: async () =>
      await waitUntil(() => lines.some(({ ready }) => ready), {
        what: 'it is ready',
        detail: child.log,
      }),
    stop: async () => await child.stop({ signal: 'SIGTERM', graceMs: 25_000 }),
  };
}

/** How long a wait lasts is the machine's business, so what is said again while it lasts does not count. */
const wait = /^Waiting for|is there after/;

test(
  'a coordinator whose Postgres and NATS come up after it says so in a few lines, and ends in good order',
  patient,
  async () => {
    const natsPort = await freePort();
    const databaseUrl = new URL(inject('postgresUrl'));
    const name = `late_${randomBytes(6).toString('hex')}`;
    databaseUrl.pathname = `/${name}`;
    const coordinator = await start('coordinator/src/main.ts', {
      DATABASE_URL: databaseUrl.href,
      NATS_URL: `nats://127.0.0.1:${natsPort}`,
      PUBLIC_URL: 'http://127.0.0.1:1',
      PROOFMARK_MIGRATE_ON_START: '1',
      PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
    });
    await coordinator.whenSaid(/^Waiting for Postgres: database "late_\w+" does not exist/);
    await query(`create database ${name}`);
    await coordinator.whenSaid(/^Waiting for NATS: /);
    await using _nats = await startOwnNats({ port: natsPort, takesAnybody: true });
    await coordinator.whenReady();

    expect(await coordinator.stop()).toEqual({ code: 0, signal: null });
    const said = coordinator.said();
    expect(said.filter((text) => wait.test(text)).map((text) => text.split(':')[0])).toEqual([
      'Waiting for Postgres',
      expect.stringMatching(/^Postgres is there after \d+ s$/),
      'Waiting for NATS',
      expect.stringMatching(/^NATS is there after \d+ s$/),
    ]);
    expect(said.slice(-2)).toEqual(['Draining', 'Ended']);
    await query(`drop database ${name} with (force)`);
  },
);

test(
  'a runner says at once that it waits for NATS, then for a coordinator, and ends in good order before it is ready',
  patient,
  async () => {
    const natsPort = await freePort();
    const runner = await start('runner-agent/src/main.ts', { NATS_URL: `nats://127.0.0.1:${natsPort}` });
    await runner.whenSaid(/^Waiting for NATS \(127\.0\.0\.1:\d+\): /);
    await using _nats = await startOwnNats({ port: natsPort, takesAnybody: true });
    await runner.whenSaid(/^NATS \(127\.0\.0\.1:\d+\) is there after \d+ s$/);
    await runner.whenSaid(/^Waiting for a coordinator: /);
    expect(await runner.stop()).toEqual({ code: 0, signal: null });
    expect(runner.said().at(-1)).toBe('Ended before it was ready');
  },
);

test(
  'a lost broker is a line in each log when it goes and one when it is back, and processes end in good order',
  patient,
  async () => {
    await using nats = await startOwnNats();
    await using product = await startProduct({
      postgresUrl: inject('postgresUrl'),
      template: inject('migratedDatabase'),
      programs: inject('programs'),
      nats,
    });
    const [runner] = product.runners;
    if (runner === undefined) throw new Error('the product has no runner');
    const log = () => `${product.coordinator.log()}${runner.log()}`;
    await nats.kill();
    await waitUntil(() => (log().match(/Waiting for NATS[^"]*lost/g) ?? []).length === 2, {
      what: 'both have noticed',
      detail: log,
    });
    await nats.restart();
    await waitUntil(() => (log().match(/NATS[^"]* is there after/g) ?? []).length === 2, {
      what: 'both are back',
      detail: log,
    });
    for (const process of [runner, product.coordinator]) {
      await process.stop(25_000);
      expect(await process.exited).toEqual({ code: 0, signal: null });
      expect(process.log()).toMatch(/"Draining"[\s\S]*"Ended"\}\n$/);
      expect(process.log()).not.toContain('"stack"');
    }
  },
);

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(text);
  await client.end();
}
