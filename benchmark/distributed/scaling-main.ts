// How much of what its slots could do a fleet does: large runners, more and more runners, and small runners with a small run.
// Run: npx pnpm benchmark:scaling
import { type RunSize, startLargeRun, waitForEnd } from './large-run.ts';
import { load, openStack, type Stack, say } from './stack.ts';

const longestMs = 240_000;

interface Measured {
  /** Questions a second, from the first one to the answer of the last one. */
  rate: number;
  bareRate: number;
}

async function measure(stack: Stack, size: RunSize, { slots, latencyMs }: { slots: number; latencyMs: number }) {
  const { cases, repetitions = 1 } = size;
  const testRuns = cases * repetitions;
  await stack.forget();
  const { runId } = await startLargeRun(stack.product, size);
  await waitForEnd(stack.product, runId, longestMs);
  const { calls, firstMs, lastMs } = await stack.seen();
  if (calls !== testRuns) throw new Error(`${testRuns} test runs asked ${calls} questions`);
  const bare = await stack.bare(testRuns, slots);
  return { rate: (testRuns / (lastMs + latencyMs - firstMs)) * 1000, bareRate: bare.rate };
}

function tell(what: string, { rate, bareRate }: Measured, ideal: number): void {
  const shares = `${(rate / ideal).toFixed(2)} of ideal, ${(rate / bareRate).toFixed(2)} of the bare loop`;
  say(`${what.padEnd(44)}${rate.toFixed(0).padStart(6)} cases/s: ${shares} (${load()})`);
}

for (const { runners, slots, latencyMs, cases, repetitions } of [
  { runners: 4, slots: 250, latencyMs: 800, cases: 2000, repetitions: 10 },
  { runners: 4, slots: 250, latencyMs: 200, cases: 2000, repetitions: 10 },
  { runners: 4, slots: 10, latencyMs: 800, cases: 400, repetitions: 1 },
]) {
  await using stack = await openStack({ runners, slots, latencyMs });
  // As many other cases first: what services compile and grow when they have just started belongs to none of those measured.
  const warming = await startLargeRun(stack.product, { cases, repetitions, from: 1_000_000 });
  await waitForEnd(stack.product, warming.runId, longestMs);
  const all = runners * slots;
  const found = await measure(stack, { cases, repetitions }, { slots: all, latencyMs });
  const what = `${runners} x ${slots} slots, ${latencyMs} ms, ${cases * repetitions} cases`;
  tell(what, found, (all * 1000) / latencyMs);
}

await using stack = await openStack({ runners: 1, slots: 100, latencyMs: 800 });
let before: number | undefined;
for (const runners of [1, 2, 4, 8]) {
  while (stack.product.runners.length < runners) await stack.product.addRunner();
  const slots = 100 * runners;
  const found = await measure(stack, { cases: 500, repetitions: 2 * runners }, { slots, latencyMs: 800 });
  const doubled = before === undefined ? '' : `, ${(found.rate / before / 2).toFixed(2)} of twice the half`;
  tell(`${runners} x 100 slots, 800 ms, ${1000 * runners} cases${doubled}`, found, (slots * 1000) / 800);
  before = found.rate;
}
