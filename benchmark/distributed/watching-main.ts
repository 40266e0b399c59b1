// What tracing costs while it is off, or what metrics cost: the services as they are beside a build in which it does nothing.
// Run: npx pnpm benchmark:watching [--without tracing|metrics] [--cases 2000] [--pairs 16]
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { inSpan, tracing } from '../../process/src/tracing/tracing.ts';
import { startLargeRun, waitForEnd } from './large-run.ts';
import { load, median, openStack, type Stack, say } from './stack.ts';

const { values } = parseArgs({
  options: {
    without: { type: 'string', default: 'tracing' },
    cases: { type: 'string', default: '2000' },
    pairs: { type: 'string', default: '16' },
  },
});
const Count = z.coerce.number().int().positive();
const { without, cases, pairs } = z
  .object({ without: z.enum(['tracing', 'metrics']), cases: Count, pairs: Count })
  .parse(values);

/** The same doors, with nothing behind them. */
const nothing = {
  tracing: new Map([
    [
      'process/src/tracing/tracing.ts',
      `export const tracing = () => null;
       export const inSpan = (_sketch, work) => work(null);
       export const startTracing = async () => ({ [Symbol.asyncDispose]: async () => undefined });`,
    ],
  ]),
  metrics: new Map([
    [
      'process/src/metrics/process-metrics.ts',
      `export class ProcessMetrics {
         add() {} observe() {} set() {} clear() {} onRead() {}
         read() { return { contentType: 'text/plain', metrics: async () => '' }; }
       }`,
    ],
  ]),
};

const size = { runners: 1, slots: 50, latencyMs: 0 };
const longestMs = 60_000 + 50 * cases;

/** Processor time of one run in the processes that differ, in CPU-ms per case: Postgres and NATS are the same in both. */
async function costOf(stack: Stack): Promise<number> {
  const sum = async () => {
    const differing = [...(await stack.spent())].filter(([name]) => /^(coordinator|runner)/.test(name));
    return differing.reduce((total, [, ms]) => total + ms, 0);
  };
  const before = await sum();
  const { runId } = await startLargeRun(stack.product, { cases });
  await waitForEnd(stack.product, runId, longestMs);
  return ((await sum()) - before) / cases;
}

await using asItIs = await openStack(size);
await using bare = await openStack({ ...size, standIns: nothing[without] });
// Processes that have just started compile what they run: that belongs to none of the cases.
for (const stack of [asItIs, bare, asItIs, bare]) await costOf(stack);

const measured: { asItIs: number; bare: number }[] = [];
for (let pair = 0; pair < pairs; pair += 1) {
  // Now one goes first and now the other, so that whatever gets slower by and by slows both.
  const first = pair % 2 === 0 ? await costOf(asItIs) : undefined;
  const ofBare = await costOf(bare);
  const one = { asItIs: first ?? (await costOf(asItIs)), bare: ofBare };
  measured.push(one);
  say(`pair ${pair + 1}: ${one.asItIs.toFixed(3)} beside ${one.bare.toFixed(3)} CPU-ms/case; ${load()}`);
}
const differences = measured.map((one) => (100 * (one.asItIs - one.bare)) / one.bare).toSorted((a, b) => a - b);
// Where the middle of very many pairs lies, in 95 of 100 cases: a pair that another process disturbed moves neither end far.
const reach = 0.98 * Math.sqrt(pairs);
const [low, high] = [Math.floor(pairs / 2 - reach), Math.ceil(pairs / 2 + reach)].map(
  (rank) => differences[Math.min(pairs - 1, Math.max(0, rank))] ?? Number.NaN,
);
say(
  `${pairs} pairs of runs of ${cases} cases, with ${without} as it is and with ${without} that does nothing; ${load()}`,
);
say('CPU-ms/case of coordinator and runner, in the middle of all runs:');
say(`  ${median(measured.map((one) => one.asItIs)).toFixed(4)} as it is`);
say(`  ${median(measured.map((one) => one.bare)).toFixed(4)} with nothing in its place`);
say(
  `difference   ${median(differences).toFixed(2)} % in the middle pair (95 %: ${low?.toFixed(2)} to ${high?.toFixed(2)} %)`,
);

if (without === 'tracing') {
  const times = 10_000_000;
  let asked = 0;
  const beganAsking = performance.now();
  for (let time = 0; time < times; time += 1) if (tracing() === null) asked += 1;
  const askNs = ((performance.now() - beganAsking) * 1e6) / asked;
  const sketch = { name: 'work' };
  const work = async () => undefined;
  const beganSpans = performance.now();
  for (let time = 0; time < times / 10; time += 1) await inSpan(sketch, work);
  const spanNs = ((performance.now() - beganSpans) * 1e6) / (times / 10);
  const beganWork = performance.now();
  for (let time = 0; time < times / 10; time += 1) await work();
  const workNs = ((performance.now() - beganWork) * 1e6) / (times / 10);
  say(
    `one question whether somebody traces: ${askNs.toFixed(1)} ns; one work in a span that nobody wants: ${(spanNs - workNs).toFixed(0)} ns more`,
  );
}
