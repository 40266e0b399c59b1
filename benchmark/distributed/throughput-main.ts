// What a case costs on the way through coordinator, ledger, broker and runners, beside a bare loop that asks the same model.
// Run: npx pnpm benchmark:throughput [--cases 10000] [--runners 2] [--slots 100] [--latency 0]
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { between } from '../bare/bare-loop.ts';
import { startLargeRun, waitForEnd } from './large-run.ts';
import { load, openStack, say, seconds } from './stack.ts';

const Count = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    runners: { type: 'string', default: '2' },
    /** Of each runner. */
    slots: { type: 'string', default: '100' },
    /** What the model waits before each answer, in milliseconds. */
    latency: { type: 'string', default: '0' },
  },
});
const { cases, runners, slots, latency } = z
  .object({ cases: Count, runners: Count, slots: Count, latency: z.coerce.number().int().nonnegative() })
  .parse(values);

const longestMs = 60_000 + cases * (20 + latency);

await using stack = await openStack({ runners, slots, latencyMs: latency });
const { product } = stack;
// Processes that have just started compile what they run, V8 begins with its last compiler late, and Postgres makes each file of its
// log anew: that belongs to none of the cases. They are other cases, so that each that is measured is as new to the ledger as it
// would be without them.
for (const from of [1_000_000, 2_000_000, 3_000_000]) {
  const warming = await startLargeRun(product, { cases: Math.min(cases, 20_000), from });
  await waitForEnd(product, warming.runId, longestMs);
}
await stack.checkpoint();

// The bare loop before and after, so that whatever else the machine does slows both.
const before = await stack.bare(cases, runners * slots);
const spentBefore = await stack.spent();
const began = performance.now();
const { runId, askedMs, answeredMs, lateAnswers } = await startLargeRun(product, { cases });
await waitForEnd(product, runId, longestMs);
const wallS = seconds(began);
const spent = [...(await stack.spent())].map(([name, ms]) => ({ name, ms: ms - (spentBefore.get(name) ?? 0) }));
const peaks = await stack.peaks();
const bare = between(before, await stack.bare(cases, runners * slots));

const all = spent.reduce((sum, { ms }) => sum + ms, 0);
say(`${cases} cases, ${runners} runners with ${slots} slots, model ${latency} ms; ${load()}`);
say(
  `cases/s      ${(cases / wallS).toFixed(0)} (${wallS.toFixed(2)} s; startRun answered after ${((answeredMs - askedMs) / 1000).toFixed(2)} s)`,
);
if (lateAnswers > 0) say(`startRun     answered ${lateAnswers} times that it took too long`);
say(`bare loop    ${bare.rate.toFixed(0)} cases/s, ${(bare.cpuMs / cases).toFixed(3)} CPU-ms per case`);
say(`share        ${(cases / wallS / bare.rate).toFixed(3)} of the rate of the bare loop`);
say(
  `CPU-ms/case  ${(all / cases).toFixed(3)} of all processes, ${(all / bare.cpuMs).toFixed(1)} times what the bare loop takes`,
);
for (const { name, ms } of spent) say(`  ${name.padEnd(13)}${(ms / cases).toFixed(3)} (at most ${peaks.get(name)} MB)`);
