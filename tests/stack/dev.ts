// `npm run dev`: coordinator, one runner, Postgres and NATS; a change of the sources restarts the processes.
// With --story it begins with three weeks of runs of a team.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase } from './databases.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { repositoryRoot } from './processes.ts';
import { startProduct } from './product.ts';
import { setUpTeam } from './set-up-team.ts';
import { signInLink } from './sign-in-link.ts';
import { tellTeamStory } from './tell-team-story.ts';

const packages = ['contracts', 'domain', 'process', 'coordinator', 'runner-agent'];
const quietMs = 200;

const { story } = parseArgs({ options: { story: { type: 'boolean', default: false } } }).values;
await using postgres = await startPostgres();
await using nats = await startNats();
const ended = Promise.withResolvers<void>();
// Not once: npm may pass on a Ctrl-C that the terminal has sent here already.
process.on('SIGINT', () => ended.resolve());
process.on('SIGTERM', () => ended.resolve());

const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
// The server is ours and goes with all that it holds.
const databaseUrl = await createDatabase(postgres.url);
await using product = await startProduct({
  postgresUrl: postgres.url,
  databaseUrl,
  nats,
  ...(OPENAI_BASE_URL === undefined ? {} : { modelUrl: OPENAI_BASE_URL }),
  ...(OPENAI_API_KEY === undefined ? {} : { runnerEnv: { OPENAI_API_KEY } }),
});
if (story) say('Telling three weeks of runs');
if (story) await tellTeamStory({ databaseUrl });
const token = story ? await setUpTeam({ ...product, databaseUrl }) : product.token;
await tellAddresses();
let timer: NodeJS.Timeout | undefined;
let restarting = Promise.resolve();
const watchers = packages.map((name) =>
  watch(join(repositoryRoot, name, 'src'), { recursive: true }, (_, file) => {
    if (file?.endsWith('.ts') && !file.endsWith('.test.ts')) scheduleRestart();
  }),
);
await ended.promise;
for (const watcher of watchers) watcher.close();
clearTimeout(timer);
await restarting;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function tellAddresses(): Promise<void> {
  say(`page      ${await signInLink({ ...product, token }, '/')} (signs in once, within 15 minutes)`);
  say(`GraphQL   ${product.url}/graphql`);
  say(`token     ${token}`);
  say(`Postgres  ${postgres.url}`);
  say(`NATS      ${nats.url}`);
  say('\nTry it:');
  say(`  curl -s ${product.url}/graphql -H 'content-type: application/json' \\`);
  say(
    `    -H 'authorization: Bearer ${token}' -d '{"query":"{ viewer { login tenant } runs(first: 5) { edges { node { id status } } } }"}'\n`,
  );
  say('A change below contracts, domain, process, coordinator or runner-agent restarts both; Ctrl-C stops.\n');
}

/** Waits until an editor has written all its files. */
function scheduleRestart(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarting = restarting.then(restart);
  }, quietMs);
}

/** Address, token and data stay. Sources that do not start are reported, and the next change tries again. */
async function restart(): Promise<void> {
  say('Restarting');
  try {
    await product.restart();
    say('Ready');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    say('Waiting for the next change.');
  }
}
