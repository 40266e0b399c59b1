import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runAction } from '../stack/github/run-action.ts';
import { listen } from '../stack/listen.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { regressingRun, startDouble } from './action-double.ts';
import { bundle, makeStep, pullRequestEvent, suite } from './action-job.ts';

const dist = join(repositoryRoot, 'action/dist');

test('the bundles are three files of at most 1.5 MiB, a reader of documents that is started for them alone, and a host for code of the repository', async () => {
  const each = 1.5 * 1024 * 1024;
  const most = {
    'code-host.js': 5_000,
    'convert-child.js': 1_750_000,
    // Everything that runs and judges cases, and read only by a job that does so itself.
    'embedded.js': each,
    'index.js': each,
    'post.js': each,
  };
  expect((await readdir(dist)).sort()).toEqual(Object.keys(most));
  for (const [name, bytes] of Object.entries(most)) {
    expect((await stat(join(dist, name))).size, name).toBeLessThanOrEqual(bytes);
  }
});

test('the bundle runs in a folder with nothing beside it, and loads what executes cases only when it has to', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { environment, temp } = await makeStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  const folder = join(temp, 'elsewhere');
  await mkdir(folder);
  await copyFile(bundle('index'), join(folder, 'index.js'));
  const { exitCode, log } = await runAction(join(folder, 'index.js'), environment);
  expect(exitCode, log).toBe(0);
});

test('from the start of the process to its first request, 20 suites take at most 250 ms of a processor and 130 MB', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`evals/s${at}.suite.yaml`, suite.replace('Support agent', `Suite ${at}`)]),
  );
  // Processor time and the best of three: other tests share the machine, and the wall clock would measure them too.
  const measured = [await firstRequest(files), await firstRequest(files), await firstRequest(files)];
  const best = (pick: (one: Usage) => number) => Math.min(...measured.map(pick));
  expect(
    best(({ cpuMs }) => cpuMs),
    JSON.stringify(measured),
  ).toBeLessThanOrEqual(250);
  expect(
    best(({ rssKb }) => rssKb),
    JSON.stringify(measured),
  ).toBeLessThanOrEqual(130 * 1024);
});

const Usage = z.object({ cpuMs: z.number(), rssKb: z.number() });
type Usage = z.infer<typeof Usage>;

const report = `process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rssKb: process.memoryUsage().rss / 1024 });
});`;

/** What the bundle has used when its first request arrives, which is held until the process has told it. */
async function firstRequest(files: Record<string, string>): Promise<Usage> {
  const asked = Promise.withResolvers<void>();
  const { origin, close } = await listen(createServer(() => asked.resolve()));
  const { environment } = await makeStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files,
    inputs: { coordinator: origin },
    env: { ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?v=1`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token' },
  });
  const preload = `data:text/javascript,${encodeURIComponent(report)}`;
  const child = spawn(process.execPath, ['--import', preload, bundle('index')], {
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(child, 'exit');
  await asked.promise;
  const told = once(child, 'message');
  child.kill('SIGUSR2');
  const [usage] = await told;
  child.kill('SIGKILL');
  await exited;
  await close();
  return Usage.parse(usage);
}
