import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
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
    'index.js': 750_000,
    'post.js': 200_000,
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

const mostMs = 150;
/** The same on a machine where an empty bundle takes longer than 43 ms. */
const mostEmptyBundles = 3.5;

test('from the start of the process to its first request, 20 suites take at most 150 ms more than an empty bundle on all threads together, and 130 MB (1.10)', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`evals/s${at}.suite.yaml`, suite.replace('Support agent', `Suite ${at}`)]),
  );
  const { environment, temp } = await makeStep({ eventName: 'pull_request', payload: pullRequestEvent(), files });
  const empty = join(temp, 'empty.mjs');
  await writeFile(empty, 'await fetch(process.env.GITHUB_API_URL);');
  // Other tests share the machine. So the time of all threads on processors is counted, which is longer than the wall clock
  // of a quiet one, each measurement of the bundle has one of the empty bundle beside it, and of either the best counts.
  const pairs: { ours: Usage; bare: Usage }[] = [];
  for (let pair = 0; pair < 5; pair += 1) {
    pairs.push({
      bare: await firstRequest(empty, environment),
      ours: await firstRequest(bundle('index'), environment),
    });
  }
  const best = (pick: (pair: (typeof pairs)[number]) => number) => Math.min(...pairs.map(pick));
  const bareMs = best(({ bare }) => bare.cpuMs);
  const seen = JSON.stringify(pairs);
  expect(best(({ ours }) => ours.cpuMs) - bareMs, seen).toBeLessThanOrEqual(
    Math.max(mostMs, mostEmptyBundles * bareMs),
  );
  expect(
    best(({ ours }) => ours.rssKb),
    seen,
  ).toBeLessThanOrEqual(130 * 1024);
});

const Usage = z.object({ cpuMs: z.number(), rssKb: z.number() });
type Usage = z.infer<typeof Usage>;

const report = `process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rssKb: process.memoryUsage().rss / 1024 });
});`;

/** What a bundle has used when its first request arrives, which is held until the process has told it. */
async function firstRequest(script: string, environment: Record<string, string>): Promise<Usage> {
  const asked = Promise.withResolvers<void>();
  const { origin, close } = await listen(createServer(() => asked.resolve()));
  const preload = `data:text/javascript,${encodeURIComponent(report)}`;
  const child = spawn(process.execPath, ['--import', preload, script], {
    env: {
      ...environment,
      GITHUB_API_URL: origin,
      INPUT_COORDINATOR: origin,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    },
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
