// How long it takes from the answer of startRun to the first question to the model, beside a message that is published,
// taken and answered by a question without anything else.
// Run: npx pnpm benchmark:latency [--rounds 20]
import { parseArgs } from 'node:util';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { request } from 'undici';
import { cancelRun, startLargeRun, stateOf } from './large-run.ts';
import { load, median, openStack, percentile, type Stack, say } from './stack.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);

/** A message through the broker and a question to the model, with nothing in between. */
async function bareWay({ nats, model, seen, forget }: Stack, times: number): Promise<number[]> {
  const connection = await connect({ servers: nats.url.replace(/\/\/.*@/, '//'), ...loginIn(nats.url) });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'BARE', subjects: ['bare.>'] });
  await manager.consumers.add('BARE', { durable_name: 'bare', ack_policy: AckPolicy.Explicit });
  const js = jetstream(connection);
  const consumer = await js.consumers.get('BARE', 'bare');
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await forget();
    const beganMs = performance.timeOrigin + performance.now();
    const waiting = consumer.next({ expires: 5000 });
    await js.publish('bare.task', '{}');
    (await waiting)?.ack();
    const answered = await request(`${model.origin}/v1/chat/completions`, { method: 'POST', body: '{}' });
    await answered.body.dump();
    took.push((await seen()).firstMs - beganMs);
  }
  await connection.close();
  return took;
}

function loginIn(url: string): { user: string; pass: string } {
  const { username, password } = new URL(url);
  return { user: username, pass: password };
}

await using stack = await openStack({ runners: 2, slots: 100, latencyMs: 50 });
const bare = await bareWay(stack, 30);
say(`publish, take, ask: median ${median(bare).toFixed(0)} ms, p95 ${percentile(bare, 0.95).toFixed(0)} ms`);
for (const { cases, repetitions } of [
  { cases: 100, repetitions: 1 },
  { cases: 1000, repetitions: 10 },
  { cases: 1000, repetitions: 100 },
]) {
  const first: number[] = [];
  const answered: number[] = [];
  // The first of them warms the way.
  for (let round = 0; round <= rounds; round += 1) {
    await stack.forget();
    const { runId, askedMs, answeredMs } = await startLargeRun(stack.product, { cases, repetitions });
    const { firstMs } = await stack.seenFirst();
    await cancelRun(stack.product, runId);
    while ((await stateOf(stack.product, runId)).openCases > 0);
    if (round === 0) continue;
    first.push(Math.max(0, firstMs - answeredMs));
    answered.push(answeredMs - askedMs);
  }
  const share = percentile(first, 0.95) / percentile(bare, 0.95);
  say(
    `${String(cases * repetitions).padStart(6)} test runs: startRun median ${median(answered).toFixed(0)} ms; first question after it median ${median(first).toFixed(0)} ms, p95 ${percentile(first, 0.95).toFixed(0)} ms, ${share.toFixed(1)} times the bare way (${load()})`,
  );
}
