import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { published } from '@proofmark/contracts/published-names';
import pg from 'pg';
import { z } from 'zod';
import { buildProgram } from '../../scripts/packages/build-program.ts';
import { shippedPrograms } from '../../scripts/packages/shipped-packages.ts';
import { createDatabase } from '../../tests/stack/databases.ts';
import { startOwnNats } from '../../tests/stack/nats.ts';
import { startOwnPostgres } from '../../tests/stack/postgres.ts';
import { repositoryRoot } from '../../tests/stack/processes.ts';
import { type Product, type ProductOptions, startProduct } from '../../tests/stack/product.ts';
import { runBareLoop, startModel } from '../bare/bare-loop.ts';
import { cpuMs, forgetPeak, peakMb } from '../bare/cpu-time.ts';

interface Size {
  runners: number;
  /** Of each runner. */
  slots: number;
  latencyMs: number;
  /** What stands in for modules of the services, by their path. */
  standIns?: ReadonlyMap<string, string>;
}

const Seen = z.object({
  ...{ calls: z.int(), firstMs: z.number(), lastMs: z.number() },
  /** Questions at the same time. */
  most: z.int(),
});

const Calls = z.array(z.object({ atMs: z.number(), endMs: z.number() }));

/** Everything that the product needs, each a process of its own with all of its guarantees, and a model that answers as told. */
export async function openStack({ runners, slots, latencyMs, standIns = new Map() }: Size) {
  await using closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  const model = closing.use(await startModel(latencyMs));
  const postgres = closing.use(await startOwnPostgres());
  const nats = closing.use(await startOwnNats({ env: await brokerFlags() }));
  say(await describePostgres(postgres.url));
  const databaseUrl = await createDatabase(postgres.url);
  const flags = await imageFlags();
  const product = closing.use(
    await startProduct({
      databaseUrl,
      ...{ postgresUrl: postgres.url, nats, modelUrl: `${model.origin}/v1`, runners },
      programs: await buildPrograms(folder, standIns),
      coordinatorEnv: flags,
      runnerEnv: { ...flags, PROOFMARK_SLOTS: String(slots) },
    }),
  );
  const processes = () => [
    ...(postgres.server === undefined ? [] : [{ name: 'postgres', pid: postgres.server.pid }]),
    { name: 'nats', pid: nats.pid() },
    { name: 'coordinator', pid: product.coordinator.pid },
    ...product.runners.map(({ pid }, index) => ({ name: `runner ${index + 1}`, pid })),
  ];
  const owned = closing.move();
  return {
    product,
    nats,
    model,
    databaseUrl,
    /** What the model was asked since it was last told to begin anew. */
    seen: async () => Seen.parse(await (await fetch(`${model.origin}/seen`)).json()),
    /** The same once it was asked anything. */
    seenFirst: async () => Seen.parse(await (await fetch(`${model.origin}/first`)).json()),
    /** When each of these questions began and ended, in the order of their ends. */
    calls: async () => Calls.parse(await (await fetch(`${model.origin}/calls`)).json()),
    forget: async () => void (await fetch(`${model.origin}/seen`, { method: 'DELETE' })),
    /** What Postgres does by itself every five minutes: files of its log that it needs no more are written anew, and none is made. */
    checkpoint: () => askPostgres(postgres.url, 'checkpoint'),
    /** The yardstick for so many cases with so many questions at once. */
    bare: (cases: number, concurrency: number) => runBareLoop({ origin: model.origin, folder, cases, concurrency }),
    /** Processor time by process so far, in milliseconds. */
    spent: async () =>
      new Map(await Promise.all(processes().map(async ({ name, pid }) => [name, await cpuMs(pid)] as const))),
    /** Counts the most memory of each process anew. */
    forgetPeaks: async () => void (await Promise.all(processes().map(({ pid }) => forgetPeak(pid)))),
    /** The most memory that each process held since then, in megabytes. */
    peaks: async () =>
      new Map(await Promise.all(processes().map(async ({ name, pid }) => [name, await peakMb(pid)] as const))),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The services as they are published: what is measured is what is deployed. */
async function buildPrograms(
  folder: string,
  standIns: ReadonlyMap<string, string>,
): Promise<NonNullable<ProductOptions['programs']>> {
  const build = async (name: string) => {
    const shipped = shippedPrograms.find((one) => one.name === name);
    if (shipped === undefined) throw new Error(`${name} is not published`);
    const build = { root: repositoryRoot, folder: join(folder, name), version: '0.0.0', standIns };
    await buildProgram(shipped, build);
    return join(folder, name, `bin/${name}.mjs`);
  };
  const { coordinator, runner } = published.packages;
  return { coordinator: await build(coordinator), runner: await build(runner) };
}

/** What the images tell Node and the C library. */
const imageFlags = () =>
  variablesIn('deploy/Containerfile', ['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']);

/** What the broker is told. */
const brokerFlags = () => variablesIn('deploy/compose.yaml', ['GOGC', 'GOMEMLIMIT']);

/** What a shipped file gives these variables. */
async function variablesIn(path: string, names: readonly string[]): Promise<Record<string, string>> {
  const recipe = await readFile(join(repositoryRoot, path), 'utf8');
  const given = names.map((name) => {
    const [, quoted, plain] = new RegExp(`\\b${name}(?:=|: )(?:"([^"]+)"|(\\S+))`).exec(recipe) ?? [];
    const value = quoted ?? plain;
    if (value === undefined) throw new Error(`${path} says nothing of ${name}`);
    return [name, value];
  });
  return Object.fromEntries(given);
}

/** Which Postgres is measured: one that was built for size takes a quarter more than what operators run. */
export async function describePostgres(url: string): Promise<string> {
  const rows = await askPostgres<{ version: string; level: string | null }>(
    url,
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       (select (regexp_match(setting, '-O\\w*(?!.*-O)'))[1] from pg_config where name = 'CFLAGS') as level`,
  );
  const [{ version, level } = { version: 'of no version', level: null }] = rows;
  const isForSize = level === '-Os';
  return `Postgres ${version}, built with ${level ?? 'unknown flags'}${isForSize ? ': for size. POSTGRES_BIN names the folder of another one' : ''}`;
}

async function askPostgres<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export type Stack = Awaited<ReturnType<typeof openStack>>;

export const say = (text: string) => void process.stdout.write(`${text}\n`);
export const seconds = (fromMs: number): number => (performance.now() - fromMs) / 1000;
export const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const Answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }).optional() })).optional(),
});

export async function ask({ url, token }: Product, query: string, variables: object): Promise<z.infer<typeof Answer>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return Answer.parse(await response.json());
}
