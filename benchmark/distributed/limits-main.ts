// How exactly a fleet keeps to the limits of a model, and how much of them it uses: 1, 2 and 8 runners that want more than they may.
// Run: npx pnpm benchmark:limits
import { startLargeRun, waitForEnd } from './large-run.ts';
import { load, openStack, say } from './stack.ts';

const latencyMs = 200;
const longestMs = 240_000;
/** Of question and answer of the model of the benchmarks. */
const tokensOfCall = 49;
const perMinute = 6_000;
const inFlight = 20;

await using stack = await openStack({ runners: 1, slots: 100, latencyMs });
const { product } = stack;

async function measure(limits: object, cases: number) {
  await stack.forget();
  const { runId } = await startLargeRun(product, { cases, limits });
  await waitForEnd(product, runId, longestMs);
  const { calls, firstMs, lastMs, most, busyMs } = await stack.seen();
  if (calls !== cases) throw new Error(`${cases} cases asked ${calls} questions`);
  const tookMs = lastMs - firstMs;
  return { perMinute: ((calls - 1) / tookMs) * 60_000, most, mean: busyMs / (tookMs + latencyMs) };
}

const share = (found: number, limit: number): string => `${((found / limit) * 100).toFixed(1)} %`;

await measure({ in_flight: inFlight }, 100);
for (const runners of [1, 2, 8]) {
  while (product.runners.length < runners) await product.addRunner();
  const requests = await measure({ requests_per_minute: perMinute }, 1_500);
  const tokens = await measure({ tokens_per_minute: perMinute * tokensOfCall }, 1_500);
  const calls = await measure({ in_flight: inFlight }, 1_500);
  const found = [
    `requests ${share(requests.perMinute, perMinute)}`,
    `tokens ${share(tokens.perMinute, perMinute)}`,
    `calls under way ${share(calls.mean, inFlight)} on average, ${calls.most} of ${inFlight} at most`,
  ];
  say(`${runners} ${runners === 1 ? 'runner' : 'runners'}: ${found.join(', ')} (${load()})`);
}
