// What a case costs on the way through coordinator, ledger, broker and runners, beside a bare loop that asks the same model.
// Run: npx pnpm benchmark:throughput [--cases 10000] [--runners 2] [--slots 50] [--latency 0]
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startOwnNats } from '../../tests/stack/nats.ts';
import { startOwnPostgres } from '../../tests/stack/postgres.ts';
import { type Product, startProduct } from '../../tests/stack/product.ts';
import { between, runBareLoop, startModel } from '../bare/bare-loop.ts';
import { cpuMs, peakMb } from './cpu-time.ts';

const Count = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    runners: { type: 'string', default: '2' },
    /** Of each runner. */
    slots: { type: 'string', default: '50' },
    /** What the model waits before each answer, in milliseconds. */
    latency: { type: 'string', default: '0' },
    /** Ends the run by a cancel instead, when its first case has passed. */
    cancel: { type: 'boolean', default: false },
  },
});
const { cases, runners, slots, latency } = z
  .object({ cases: Count, runners: Count, slots: Count, latency: z.coerce.number().int().nonnegative() })
  .parse(values);

const longestMs = 60_000 + cases * (20 + latency);
const askEveryMs = 200;
const casesPerSuite = 1500;

interface SentFile {
  path: string;
  text: string;
}

/** As few suites as the limits of a file allow. */
function suiteFiles(): SentFile[] {
  return Array.from({ length: Math.ceil(cases / casesPerSuite) }, (_, suite) => {
    const first = suite * casesPerSuite;
    const ofSuite = Array.from({ length: Math.min(casesPerSuite, cases - first) }, (_none, at) => ({
      name: `Case ${first + at}`,
      input: `When are you open on day ${first + at}?`,
      expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['17'] }] },
    }));
    const agent = { name: 'Shop', instructions: 'You answer questions of customers of a small shop.' };
    const text = JSON.stringify({ name: `Suite ${suite}`, agent, cases: ofSuite });
    return { path: `evals/${String(suite).padStart(3, '0')}.suite.json`, text };
  });
}

const Answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }).optional() })).optional(),
});

async function ask({ url, token }: Product, query: string, variables: object): Promise<z.infer<typeof Answer>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return Answer.parse(await response.json());
}

const Started = z.object({ startRun: z.object({ run: z.object({ id: z.string() }) }) });
const startText = `mutation ($input: StartRunInput!) { startRun(input: $input) {
  __typename ... on StartRunSuccess { run { id } } ... on UserError { code message }
  ... on InvalidDefinitions { problems { message } } } }`;

/** Starts the run and asks again, as every client does, where the answer takes too long. */
async function start(product: Product): Promise<{ runId: string; lateAnswers: number }> {
  const suites = suiteFiles();
  const project = { ai_configurations: { bare: { provider: 'openai', model: 'bare-model' } } };
  const input = {
    ...{ idempotencyKey: randomUUID(), trigger: { triggeredBy: 'API' } },
    files: [{ path: 'proofmark.json', text: JSON.stringify(project) }, ...suites],
    ...{ projectPath: 'proofmark.json', suitePaths: suites.map(({ path }) => path) },
  };
  for (let lateAnswers = 0; lateAnswers < 20; lateAnswers += 1) {
    const { data, errors } = await ask(product, startText, { input });
    const started = Started.safeParse(data);
    if (started.success) return { runId: started.data.startRun.run.id, lateAnswers };
    if (errors?.[0]?.extensions?.code !== 'TIMEOUT') throw new Error(JSON.stringify({ data, errors }));
  }
  throw new Error('startRun took too long each time');
}

const Ended = z.object({ run: z.object({ status: z.string(), passedCases: z.int(), totalCases: z.int() }) });

async function waitForEnd(product: Product, id: string): Promise<void> {
  for (const late = performance.now() + longestMs; performance.now() < late; await pause(askEveryMs)) {
    const { data } = await ask(product, 'query ($id: UUID!) { run(id: $id) { status passedCases totalCases } }', {
      id,
    });
    const { run } = Ended.parse(data);
    if (run.status === 'PENDING' || run.status === 'RUNNING') continue;
    if (run.status === 'COMPLETED' && run.passedCases === cases) return;
    throw new Error(`The run ended as ${JSON.stringify(run)}:\n${product.coordinator.log()}`);
  }
  throw new Error(`The run did not end in ${longestMs} ms:\n${product.coordinator.log()}`);
}

const Progress = z.object({ run: z.object({ passedCases: z.int(), openCases: z.int() }) });

/** How long a cancel in the middle of the run takes: until it is answered, and until nothing is open any more. */
async function cancel(product: Product, id: string): Promise<void> {
  const read = async () => {
    const { data } = await ask(product, 'query ($id: UUID!) { run(id: $id) { passedCases openCases } }', { id });
    return Progress.parse(data).run;
  };
  while ((await read()).passedCases === 0) await pause(askEveryMs);
  const began = performance.now();
  const { data, errors } = await ask(product, 'mutation ($id: UUID!) { cancelRun(id: $id) { __typename } }', { id });
  const answeredS = seconds(began);
  if (errors !== undefined) throw new Error(JSON.stringify({ data, errors }));
  const { openCases } = await read();
  while ((await read()).openCases > 0) await pause(askEveryMs);
  say(
    `load ${loadavg()[0]?.toFixed(1)}; cancelled after ${answeredS.toFixed(2)} s with ${openCases} of ${cases} cases open`,
  );
  say(`all closed after ${seconds(began).toFixed(2)} s`);
}

const seconds = (fromMs: number): number => (performance.now() - fromMs) / 1000;
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  using model = await startModel(latency);
  await using postgres = await startOwnPostgres();
  await using nats = await startOwnNats();
  await using product = await startProduct({
    ...{ postgresUrl: postgres.url, nats, modelUrl: `${model.origin}/v1`, runners },
    runnerEnv: { PROOFMARK_SLOTS: String(slots) },
  });
  const askBare = () => runBareLoop({ origin: model.origin, folder, cases, concurrency: runners * slots });
  const processes = [
    ...(postgres.server === undefined ? [] : [{ name: 'postgres', pid: postgres.server.pid }]),
    { name: 'nats', pid: nats.pid() },
    { name: 'coordinator', pid: product.coordinator.pid },
    ...product.runners.map(({ pid }, index) => ({ name: `runner ${index + 1}`, pid })),
  ];
  if (values.cancel) {
    const { runId } = await start(product);
    await cancel(product, runId);
  } else await measure();

  async function measure(): Promise<void> {
    // The bare loop before and after, so that whatever else the machine does slows both.
    const before = await askBare();
    const spentBefore = await Promise.all(processes.map(({ pid }) => cpuMs(pid)));
    const began = performance.now();
    const { runId, lateAnswers } = await start(product);
    const startS = seconds(began);
    await waitForEnd(product, runId);
    const wallS = seconds(began);
    const spent = await Promise.all(processes.map(async ({ pid }, at) => (await cpuMs(pid)) - (spentBefore[at] ?? 0)));
    const peaks = await Promise.all(processes.map(({ pid }) => peakMb(pid)));
    const bare = between(before, await askBare());

    const all = spent.reduce((sum, ms) => sum + ms, 0);
    say(
      `${cases} cases, ${runners} runners with ${slots} slots, model ${latency} ms; load ${loadavg()[0]?.toFixed(1)}`,
    );
    say(
      `cases/s      ${(cases / wallS).toFixed(0)} (${wallS.toFixed(2)} s; startRun answered after ${startS.toFixed(2)} s)`,
    );
    if (lateAnswers > 0) say(`startRun     answered ${lateAnswers} times that it took too long`);
    say(`bare loop    ${bare.rate.toFixed(0)} cases/s, ${(bare.cpuMs / cases).toFixed(3)} CPU-ms per case`);
    say(`share        ${(cases / wallS / bare.rate).toFixed(4)} of the rate of the bare loop`);
    say(`CPU-ms/case  ${(all / cases).toFixed(3)} of all processes`);
    for (const [at, { name }] of processes.entries())
      say(`  ${name.padEnd(13)}${((spent[at] ?? 0) / cases).toFixed(3)} (at most ${peaks[at]} MB)`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
