// How much memory a run of 100,000 test runs takes in each process until it is judged, and handing out its results after that.
// Run: npx pnpm benchmark:memory [--cases 2000] [--repetitions 50]
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startLargeRun, waitForEnd } from './large-run.ts';
import { ask, load, openStack, say, seconds } from './stack.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '2000' }, repetitions: { type: 'string', default: '50' } },
});
const size = { cases: Number(values.cases), repetitions: Number(values.repetitions) };
const testRuns = size.cases * size.repetitions;
/** What each process may hold, in megabytes. */
const most = { coordinator: 300, runner: 250 };
/** A page holds all of its text, so it is of fewer results. */
const onPage = { cases: 100, repetitions: 50 };

await using stack = await openStack({ runners: 2, slots: 100, latencyMs: 0 });
const { product } = stack;

/** Tells the most that each process has held since the last time. */
async function tellPeaks(before: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, mb] of await stack.peaks()) {
    const allowed = name === 'coordinator' ? most.coordinator : name.startsWith('runner') ? most.runner : mb;
    if (mb > allowed) process.exitCode = 1;
    say(
      `  ${name.padEnd(13)}${mb} MB at most, ${before.get(name)} MB before${mb > allowed ? `: ${allowed} are allowed` : ''}`,
    );
  }
}

const Linked = z.object({ run: z.object({ download: z.object({ url: z.string() }) }) });

/** Gets the results of a run as a file and throws them away; how many bytes they were. */
async function download(runId: string, format: string): Promise<number> {
  const text = `query ($id: UUID!) { run(id: $id) { download(format: ${format}) { url } } }`;
  const { data, errors } = await ask(product, text, { id: runId });
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  const response = await fetch(Linked.parse(data).run.download.url);
  if (!response.ok || response.body === null) throw new Error(`${format}: ${response.status}`);
  let bytes = 0;
  for await (const part of response.body) bytes += part.length;
  return bytes;
}

async function tellDownload(runId: string, format: string): Promise<void> {
  await stack.forgetPeaks();
  const [before, began] = [await stack.peaks(), performance.now()];
  const bytes = await download(runId, format);
  const [now, were] = [await stack.peaks(), before].map((peaks) => peaks.get('coordinator') ?? 0);
  if ((now ?? 0) > most.coordinator) process.exitCode = 1;
  say(
    `${format}: ${(bytes / 1e6).toFixed(0)} MB in ${seconds(began).toFixed(1)} s; coordinator ${now} MB at most, ${were} MB before`,
  );
}

const atStart = await stack.peaks();
const began = performance.now();
const { runId, askedMs, answeredMs } = await startLargeRun(product, size);
await waitForEnd(product, runId, 600_000);
const wallS = seconds(began);
const bare = await stack.bare(Math.min(testRuns, 20_000), 200);
say(`${testRuns} test runs in ${wallS.toFixed(1)} s; startRun answered after ${answeredMs - askedMs} ms; ${load()}`);
say(`${(testRuns / wallS).toFixed(0)} test runs/s, ${(testRuns / wallS / bare.rate).toFixed(3)} of the bare loop`);
await tellPeaks(atStart);
for (const format of ['CSV', 'JSONL', 'JUNIT']) await tellDownload(runId, format);
const small = await startLargeRun(product, { ...onPage, from: size.cases });
await waitForEnd(product, small.runId, 600_000);
await tellDownload(small.runId, 'HTML');
