import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAction } from '../stack/github/run-action.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { regressingRun, startDouble } from './action-double.ts';
import { bundle, makeStep, pullRequestEvent } from './action-job.ts';
import { measureStarts, type Start } from './action-start.ts';

const dist = join(repositoryRoot, 'action/dist');

test('the bundles are three files of at most 1.6 MB, a reader of documents that is started for them alone, and a host for code of the repository', async () => {
  // The reader of cron expressions, which tells of those that never come, is 22 kB of each.
  const each = 1_600_000;
  const most = {
    'code-host.js': 5_000,
    'convert-child.js': 1_750_000,
    // Everything that runs and judges cases, and read only by a job that does so itself.
    'embedded.js': each,
    'index.js': 770_000,
    'post.js': 215_000,
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

test('from the start of the process to its first request, 20 suites of 12 cases take at most 150 ms more than an empty bundle on all threads together, and 130 MB until all are read (1.10)', async () => {
  // Other tests share the machine. So the time of all threads on processors is counted, which is longer than the wall clock
  // of a quiet one, each start of the bundle has one of the empty bundle beside it, and of either the best counts.
  const starts = await measureStarts(5);
  const best = (pick: (start: Start) => number) => Math.min(...starts.map(pick));
  const emptyMs = best(({ empty }) => empty.cpuMs);
  const seen = JSON.stringify(starts);
  const most = Math.max(mostMs, mostEmptyBundles * emptyMs);
  expect(best(({ first }) => first.cpuMs) - emptyMs, seen).toBeLessThanOrEqual(most);
  expect(
    best(({ coordinator }) => coordinator.rssMb),
    seen,
  ).toBeLessThanOrEqual(130);
});
