// `npm run demo`: the whole product once. A pull request worsens the prompt of an agent, and GitHub shows what it broke.
// With --packages FOLDER the services are those that are installed in the folder, instead of the sources; --node and --user say
// which Node runs them, and as whom.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startGithub } from '../stack/github-server.ts';
import { startNats } from '../stack/nats.ts';
import { startPostgres } from '../stack/postgres.ts';
import { startProcess } from '../stack/processes.ts';
import { startProduct } from '../stack/product.ts';
import { Narrator } from './narrate.ts';
import { openWorseningPullRequest, recordBase } from './pull-request-story.ts';
import { showResult } from './show-result.ts';
import { waitForInterrupt } from './wait-for-interrupt.ts';

const { keep, packages, node, user } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    packages: { type: 'string' },
    node: { type: 'string' },
    user: { type: 'string' },
  },
}).values;
const narrator = new Narrator();
const directory = await mkdtemp(join(tmpdir(), 'proofmark-demo-'));
const logFile = join(directory, 'services.log');
let isGood = false;

try {
  isGood = await tellTheStory();
} catch (error) {
  narrator.say(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  if (existsSync(logFile)) narrator.say(`The log of all services: ${logFile}`);
}
// Kept for whoever wants to know why.
if (isGood || !existsSync(logFile)) await rm(directory, { recursive: true, force: true });
process.exitCode = isGood ? 0 : 1;

async function tellTheStory(): Promise<boolean> {
  narrator.title('Starting everything on free ports of this machine');
  await using postgres = await narrator.step('Postgres, from npm', () => startPostgres());
  await using nats = await narrator.step('NATS with JetStream', () => startNats());
  await using github = await narrator.step('a local GitHub with the Proofmark App installed', () =>
    startGithub({ isHeld: false }),
  );
  await using model = await narrator.step('a scripted model that knows what its instructions say', startModel);
  await using product = await narrator.step('the coordinator and two runners', () =>
    startProduct({
      postgresUrl: postgres.url,
      nats,
      modelUrl: model.ready.url,
      github,
      runners: 2,
      logFile,
      ...(packages === undefined ? {} : { programs: installedIn(packages) }),
    }),
  );

  const story = { github, product, narrator, directory };
  const base = await recordBase(story);
  const pull = await openWorseningPullRequest({ ...story, repository: base.repository });
  const isExpected = await showResult({ ...story, ...pull, keep });
  narrator.say(`\n${isExpected ? 'Done' : 'This is not what should have appeared'} after ${narrator.elapsed}.`);
  if (keep) await waitForInterrupt({ narrator, product, github, runId: pull.runId, logFile });
  return isExpected;
}

function installedIn(folder: string) {
  return {
    coordinator: join(folder, 'node_modules/proofmark-coordinator/bin/proofmark-coordinator.mjs'),
    runner: join(folder, 'node_modules/proofmark-runner/bin/proofmark-runner.mjs'),
    ...(node === undefined ? {} : { node }),
    ...(user === undefined ? {} : { user: { uid: Number(user), gid: Number(user) } }),
  };
}

function startModel() {
  return startProcess({
    name: 'model',
    entry: 'tests/stack/model-server-main.ts',
    ready: { line: z.object({ url: z.string() }) },
    logFile,
  });
}
