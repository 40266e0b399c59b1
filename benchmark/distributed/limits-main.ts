// How exactly a fleet keeps to the limits of a model, and how much of them it uses: 1, 2 and 8 runners that want more than they may.
// Run: npx pnpm benchmark:limits
import { startLargeRun, waitForEnd } from './large-run.ts';
import { load, openStack, say } from './stack.ts';

/** As a model takes; what the runner does between two calls is little beside it. */
const latencyMs = 800;
const longestMs = 120_000;
/** Of question and answer of the model of the benchmarks. */
const tokensOfCall = 49;
const perMinute = 6_000;
const inFlight = 20;
/** Times at either end of a run that say nothing about a limit. */
const warmMs = 5_000;
const tailMs = 2_000;

await using stack = await openStack({ runners: 1, slots: 200, latencyMs });
const { product } = stack;

/**
 * What the fleet did in the middle of a run: at its beginning cases arrive, and a second's worth is there in advance; at its
 * end nobody wants all that the limit allows.
 */
async function measure(limits: object, cases: number) {
  await stack.forget();
  const { runId } = await startLargeRun(product, { cases, limits });
  await waitForEnd(product, runId, longestMs);
  const { calls, firstMs, lastMs, most } = await stack.seen();
  if (calls !== cases) throw new Error(`${cases} cases asked ${calls} questions`);
  const [fromMs, toMs] = [firstMs + warmMs, lastMs - tailMs];
  const all = await stack.calls();
  const begun = all.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
  const busyMs = all.map(({ atMs, endMs }) => Math.max(0, Math.min(endMs, toMs) - Math.max(atMs, fromMs)));
  const tookMs = toMs - fromMs;
  return { perMinute: (begun / tookMs) * 60_000, most, mean: busyMs.reduce((sum, ms) => sum + ms, 0) / tookMs };
}

const share = (found: number, limit: number): string => `${((found / limit) * 100).toFixed(1)} %`;

await measure({ in_flight: inFlight }, 100);
for (const runners of [1, 2, 8]) {
  while (product.runners.length < runners) await product.addRunner();
  const requests = await measure({ requests_per_minute: perMinute }, 2_000);
  const tokens = await measure({ tokens_per_minute: perMinute * tokensOfCall }, 2_000);
  const calls = await measure({ in_flight: inFlight }, 500);
  const found = [
    `requests ${share(requests.perMinute, perMinute)}`,
    `tokens ${share(tokens.perMinute, perMinute)}`,
    `calls under way ${share(calls.mean, inFlight)} on average, ${calls.most} of ${inFlight} at most`,
  ];
  say(`${runners} ${runners === 1 ? 'runner' : 'runners'}: ${found.join(', ')} (${load()})`);
}
