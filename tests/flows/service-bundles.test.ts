import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
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

/** Packing takes six seconds of the processor, which a busy machine may not give soon. */
const patient = { timeout: 600_000 };
const ready = { line: z.looseObject({ ready: z.literal(true) }) };

/** Packs the programs as a release does, and unpacks them as an install would: where their commands are. */
async function unpackPrograms(directory: string) {
  const names = ['proofmark-coordinator', 'proofmark-runner', 'proofmark'] as const;
  const pack = await spawnOwned(process.execPath, [join(repositoryRoot, 'scripts/pack.ts'), directory, ...names]);
  expect((await pack.exited).code, pack.log()).toBe(0);
  const tarballs = (await readdir(directory)).filter((file) => file.endsWith('.tgz'));
  const place = async (name: (typeof names)[number]) => {
    const folder = join(directory, name);
    await mkdir(folder);
    const tarball = tarballs.find((file) => new RegExp(`^${name}-\\d`).test(file)) ?? '';
    const unpack = await spawnOwned('tar', ['-xzf', join(directory, tarball), '--strip-components=1', '-C', folder]);
    expect((await unpack.exited).code, unpack.log()).toBe(0);
    return join(folder, `bin/${name}.mjs`);
  };
  const [coordinator, runner, command] = [await place(names[0]), await place(names[1]), await place(names[2])];
  return { coordinator, runner, command };
}

it('D-01 S2-80 the packages start without node_modules, and are healthy and ready', patient, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-bundles-'));
  try {
    await using nats = await startOwnNats();
    const databaseUrl = await createDatabase(inject('postgresUrl'));
    await using _database = { [Symbol.asyncDispose]: () => dropDatabase(inject('postgresUrl'), databaseUrl) };
    const { coordinator, runner, command } = await unpackPrograms(directory);
    // As they are deployed: one job has the login of the administrator, and what serves has its own two.
    const loginAs = (username: string) => Object.assign(new URL(databaseUrl), { username, password: '' }).href;
    const serving = {
      PROOFMARK_APP_DATABASE_URL: loginAs('proofmark_app'),
      PROOFMARK_WORKER_DATABASE_URL: loginAs('proofmark_worker'),
    };
    const migrate = await spawnOwned(process.execPath, [coordinator, 'migrate'], {
      env: { ...inheritedEnvironment(), ...serving, DATABASE_URL: databaseUrl },
    });
    expect((await migrate.exited).code, migrate.log()).toBe(0);
    expect(migrate.log()).toMatch(/^Applied 0001-keep-tenants-and-access, /);
    const [coordinatorPort, runnerPort] = [await freePort(), await freePort()];
    const coordinatorUrl = `http://127.0.0.1:${coordinatorPort}`;
    await using _coordinator = await startProcess({
      name: 'packed coordinator',
      entry: coordinator,
      env: {
        ...serving,
        NATS_URL: nats.url,
        PORT: String(coordinatorPort),
        PROOFMARK_HOST: '127.0.0.1',
        PUBLIC_URL: coordinatorUrl,
        PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
      },
      ready,
    });
    await using _runner = await startProcess({
      name: 'packed runner',
      entry: runner,
      env: { NATS_URL: nats.url, PROOFMARK_POOLS: 'bundles', PORT: String(runnerPort) },
      ready,
    });
    for (const url of [coordinatorUrl, `http://127.0.0.1:${runnerPort}`]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { what: `${url} is ready` });
    }
    // Whoever runs the image has no clone to make a second tenant from.
    const access = await spawnOwned(process.execPath, [coordinator, 'access', 'tenant', 'second'], {
      env: { DATABASE_URL: databaseUrl, NATS_URL: nats.url, PUBLIC_URL: coordinatorUrl },
    });
    expect((await access.exited).code, access.log()).toBe(0);
    // The page comes with the coordinator, from the files beside it.
    for (const path of ['/', '/runs/x', '/assets/app.js', '/assets/style.css', '/assets/icon.svg'])
      expect((await fetch(`${coordinatorUrl}${path}`)).status, path).toBe(200);
    // And the command, in a folder where nothing else is.
    const cwd = join(directory, 'empty');
    await mkdir(cwd);
    for (const word of ['init', 'validate', 'run']) {
      const step = await spawnOwned(process.execPath, [command, word], { cwd, env: inheritedEnvironment() });
      expect((await step.exited).code, step.log()).toBe(0);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
