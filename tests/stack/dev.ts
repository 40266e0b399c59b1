// `pnpm dev`: coordinator, one runner, Postgres and NATS; a change of the sources restarts the processes.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { repositoryRoot } from './processes.ts';
import { type Product, startProduct } from './product.ts';

const packages = ['contracts', 'domain', 'coordinator', 'runner-agent'];
const quietMs = 200;
const modelUrl = process.env.OPENAI_BASE_URL;

await using postgres = await startPostgres();
await using nats = await startNats();
const ended = Promise.withResolvers<void>();
process.once('SIGINT', () => ended.resolve());
process.once('SIGTERM', () => ended.resolve());

let product: Product | undefined = await start();
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
await product?.stop();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A product of the sources as they are now; undefined when they do not start, and the reason is printed. */
async function start(): Promise<Product | undefined> {
  try {
    const started = await startProduct({
      postgresUrl: postgres.url,
      natsUrl: nats.url,
      ...(modelUrl === undefined ? {} : { modelUrl }),
    });
    say(`GraphQL   ${started.url}/graphql`);
    say(`token     ${started.token}`);
    say(`Postgres  ${postgres.url}`);
    say(`NATS      ${nats.url}`);
    say('A change below contracts, domain, coordinator or runner-agent restarts both; Ctrl-C stops.\n');
    return started;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    say('Waiting for a change.\n');
    return undefined;
  }
}

/** Waits until an editor has written all its files. */
function scheduleRestart(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarting = restarting.then(restart);
  }, quietMs);
}

async function restart(): Promise<void> {
  say('Restarting');
  await product?.stop();
  product = await start();
}
