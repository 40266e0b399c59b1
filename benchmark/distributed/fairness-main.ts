// How much longer a run of ten cases takes beside one of 100,000 than alone.
// Run: npx pnpm benchmark:fairness
import { setTimeout as pause } from 'node:timers/promises';
import { cancelRun, startLargeRun, stateOf, waitForEnd } from './large-run.ts';
import { load, median, openStack, say, seconds } from './stack.ts';

const latencyMs = 800;
const rounds = 5;

await using stack = await openStack({ runners: 2, slots: 100, latencyMs });
const { product } = stack;

async function tenCases(): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const { runId } = await startLargeRun(product, { cases: 10 });
    await waitForEnd(product, runId, 120_000, 50);
    took.push(seconds(began));
  }
  return median(took);
}

await tenCases();
const alone = await tenCases();
const large = await startLargeRun(product, { cases: 2000, repetitions: 50 });
while ((await stateOf(product, large.runId)).passedCases < 200) await pause(50);
const beside = await tenCases();
await cancelRun(product, large.runId);
say(`model ${latencyMs} ms, 2 runners with 100 slots; ${load()}`);
say(`10 cases alone ${alone.toFixed(2)} s, beside 100000 ${beside.toFixed(2)} s: ${(beside / alone).toFixed(2)} times`);
