import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAction } from '../stack/github/run-action.ts';
import { listen } from '../stack/listen.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { regressingRun, startDouble } from './action-double.ts';
import { bundle, makeStep, pullRequestEvent, suite } from './action-job.ts';

const dist = join(repositoryRoot, 'action/dist');

test('the bundles are three files of at most 1.5 MB', async () => {
  expect((await readdir(dist)).sort()).toEqual(['embedded.js', 'index.js', 'post.js']);
  for (const name of ['embedded.js', 'index.js', 'post.js']) {
    expect((await stat(join(dist, name))).size, name).toBeLessThanOrEqual(1_500_000);
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

test('from the start of the process to its first request with 20 suites it takes at most 250 ms and 130 MB', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`evals/s${at}.suite.yaml`, suite.replace('Support agent', `Suite ${at}`)]),
  );
  // The machine may be busy with other tests: the best of three is what the bundle needs.
  const times: number[] = [];
  let rssKb = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const measured = await firstRequest(files);
    times.push(measured.ms);
    rssKb = Math.min(rssKb, measured.rssKb);
  }
  expect(Math.min(...times), times.join(', ')).toBeLessThanOrEqual(250);
  expect(rssKb).toBeLessThanOrEqual(130 * 1024);
});

/** Starts the bundle with a reporter of its own memory, and holds its first request until the memory was read. */
async function firstRequest(files: Record<string, string>): Promise<{ ms: number; rssKb: number }> {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  const { origin, close } = await listen(server);
  const { environment } = await makeStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files,
    inputs: { coordinator: origin },
    env: { ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?v=1`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token' },
  });
  const report = "process.on('SIGUSR2', () => process.send(process.memoryUsage().rss / 1024))";
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${report}`, bundle('index')], {
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await asked.promise;
  const ms = performance.now() - startedMs;
  const told = once(child, 'message');
  child.kill('SIGUSR2');
  const [rssKb] = await told;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await close();
  return { ms, rssKb: Number(rssKb) };
}
