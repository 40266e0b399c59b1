// How much memory a run of 100,000 test runs takes in each process.
// Run: npx pnpm benchmark:memory [--cases 2000] [--repetitions 50]
import { parseArgs } from 'node:util';
import { startLargeRun, waitForEnd } from './large-run.ts';
import { load, openStack, say, seconds } from './stack.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '2000' }, repetitions: { type: 'string', default: '50' } },
});
const size = { cases: Number(values.cases), repetitions: Number(values.repetitions) };
const testRuns = size.cases * size.repetitions;

await using stack = await openStack({ runners: 2, slots: 100, latencyMs: 0 });
const atStart = await stack.peaks();
const began = performance.now();
const { runId, askedMs, answeredMs } = await startLargeRun(stack.product, size);
await waitForEnd(stack.product, runId, 600_000);
const wallS = seconds(began);
const bare = await stack.bare(Math.min(testRuns, 20_000), 200);
say(`${testRuns} test runs in ${wallS.toFixed(1)} s; startRun answered after ${answeredMs - askedMs} ms; ${load()}`);
say(`${(testRuns / wallS).toFixed(0)} test runs/s, ${(testRuns / wallS / bare.rate).toFixed(3)} of the bare loop`);
for (const [name, mb] of await stack.peaks())
  say(`  ${name.padEnd(13)}${mb} MB at most, ${atStart.get(name)} MB before the run`);
