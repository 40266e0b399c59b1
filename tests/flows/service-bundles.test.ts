import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../stack/databases.ts';
import { inheritedEnvironment } from '../stack/environment.ts';
import { freePort } from '../stack/free-port.ts';
import { startOwnNats } from '../stack/nats.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot, startProcess } from '../stack/processes.ts';
import { waitUntil } from '../stack/wait-until.ts';

const ready = { line: z.looseObject({ ready: z.literal(true) }) };

it('D-01 S2-80 the bundles that the images hold start without node_modules, and are healthy and ready', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-bundles-'));
  try {
    await using nats = await startOwnNats();
    const databaseUrl = await createDatabase(inject('postgresUrl'));
    await using _database = { [Symbol.asyncDispose]: () => dropDatabase(inject('postgresUrl'), databaseUrl) };
    const build = await spawnOwned(process.execPath, [join(repositoryRoot, 'scripts/build-services.ts'), directory]);
    expect((await build.exited).code, build.log()).toBe(0);
    // As they are deployed: one job has the login of the administrator, and what serves has its own two.
    const loginAs = (username: string) => Object.assign(new URL(databaseUrl), { username, password: '' }).href;
    const serving = {
      PROOFMARK_APP_DATABASE_URL: loginAs('proofmark_app'),
      PROOFMARK_WORKER_DATABASE_URL: loginAs('proofmark_worker'),
    };
    const migrate = await spawnOwned(process.execPath, [join(directory, 'coordinator/migrate.js')], {
      env: { ...inheritedEnvironment(), ...serving, DATABASE_URL: databaseUrl },
    });
    expect((await migrate.exited).code, migrate.log()).toBe(0);
    expect(migrate.log()).toMatch(/^Applied 0001-create-tenants-and-access, /);
    const [coordinatorPort, runnerPort] = [await freePort(), await freePort()];
    const coordinatorUrl = `http://127.0.0.1:${coordinatorPort}`;
    await using _coordinator = await startProcess({
      name: 'coordinator bundle',
      entry: join(directory, 'coordinator/main.js'),
      env: {
        ...serving,
        NATS_URL: nats.url,
        PROOFMARK_POOL: 'bundles',
        PORT: String(coordinatorPort),
        PROOFMARK_HOST: '127.0.0.1',
        PUBLIC_URL: coordinatorUrl,
        PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
      },
      ready,
    });
    await using _runner = await startProcess({
      name: 'runner bundle',
      entry: join(directory, 'runner/main.js'),
      env: { NATS_URL: nats.url, PROOFMARK_POOL: 'bundles', PORT: String(runnerPort) },
      ready,
    });
    for (const url of [coordinatorUrl, `http://127.0.0.1:${runnerPort}`]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { what: `${url} is ready` });
    }
    // Whoever runs the image has no clone to make a second tenant from.
    const access = await spawnOwned(process.execPath, [join(directory, 'coordinator/access.js'), 'tenant', 'second'], {
      env: { DATABASE_URL: databaseUrl, NATS_URL: nats.url, PUBLIC_URL: coordinatorUrl },
    });
    expect((await access.exited).code, access.log()).toBe(0);
    // The page comes with the coordinator, from the files beside it.
    for (const path of ['/', '/runs/x', '/assets/app.js', '/assets/style.css', '/assets/icon.svg'])
      expect((await fetch(`${coordinatorUrl}${path}`)).status, path).toBe(200);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
