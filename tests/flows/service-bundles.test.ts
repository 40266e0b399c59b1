import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../stack/databases.ts';
import { inheritedEnvironment } from '../stack/environment.ts';
import { freePort } from '../stack/free-port.ts';
import { startOwnNats } from '../stack/nats.ts';
import { receiveSpans } from '../stack/otlp-receiver.ts';
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
    const receiver = await receiveSpans();
    await using _receiver = { [Symbol.asyncDispose]: receiver.stop };
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
    const broker = { NATS_URL: nats.url, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    const settings = {
      ...{ ...serving, ...broker, PORT: String(coordinatorPort), PROOFMARK_HOST: '127.0.0.1' },
      ...{ PUBLIC_URL: coordinatorUrl, PROOFMARK_ALLOW_LOSSY_DATABASE: '1' },
    };
    await using runningCoordinator = await startProcess({
      name: 'packed coordinator',
      entry: coordinator,
      env: settings,
      ready,
    });
    await using runningRunner = await startProcess({
      name: 'packed runner',
      entry: runner,
      env: { ...broker, PROOFMARK_POOLS: 'bundles', PORT: String(runnerPort) },
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
    // Beside it, its environment says whether all is well, and what is not.
    const examined = async (more: Record<string, string> = {}) => {
      const env = { ...inheritedEnvironment(), ...settings, ...more };
      const doctor = await spawnOwned(process.execPath, [coordinator, 'doctor'], { env });
      return { code: (await doctor.exited).code, said: doctor.log() };
    };
    expect(await examined()).toMatchObject({ code: 0, said: expect.stringMatching(/^ok {5}mail$/m) });
    const away = await examined({ NATS_URL: 'nats://127.0.0.1:1' });
    expect(away).toMatchObject({ code: 1, said: expect.stringMatching(/^fault {2}broker: NATS at 127\.0\.0\.1/m) });
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
    // What they have counted leaves with them.
    await runningRunner.stop(60_000);
    await runningCoordinator.stop(60_000);
    expect(receiver.metrics).toContainEqual(
      expect.objectContaining({ service: 'proofmark-runner', name: 'proofmark_free_slots', value: 8 }),
    );
    expect(receiver.metrics).toContainEqual(
      expect.objectContaining({
        ...{ service: 'proofmark-coordinator', name: 'proofmark_database_connections', value: 16 },
        attributes: { login: 'app', lane: 'requests', state: 'limit' },
      }),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
