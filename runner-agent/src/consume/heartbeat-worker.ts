import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { HeartbeatReply } from '@proofmark/contracts/control-messages';
import { endsSilence } from '@proofmark/domain/lifecycle';
import { askCoordinator } from './ask-coordinator.ts';
import { connectRunner } from './connect-nats.ts';
import { type HeartbeatSetup, type HeartbeatSnapshot, silenceOf } from './heartbeat-thread.ts';

/** A main loop that reports nothing for so long is stuck: its session must end, although this thread could renew it. */
const stuckMs = 60_000;

const setup = workerData as HeartbeatSetup; // written by heartbeat-thread.ts, the only one that starts this file
const answeredAt = new BigInt64Array(setup.answeredAt);
let latest: { snapshot: HeartbeatSnapshot; atMs: number } | undefined;

parentPort?.on('message', (snapshot: HeartbeatSnapshot) => {
  latest = { snapshot, atMs: performance.now() };
});

const connection = await connectRunner(setup.login, {
  runnerId: setup.runnerId,
  name: `${setup.runnerId} heartbeat`,
  signal: new AbortController().signal,
});
for (;;) {
  const startedAt = performance.now();
  if (latest && startedAt - latest.atMs < stuckMs) await beat(latest.snapshot);
  await pause(Math.max(0, setup.heartbeatMs - (performance.now() - startedAt)));
}

async function beat(snapshot: HeartbeatSnapshot): Promise<void> {
  const reply = await askCoordinator(connection, {
    runnerId: setup.runnerId,
    call: 'heartbeat',
    request: snapshot,
    reply: HeartbeatReply,
    timeoutMs: Math.max(1_000, setup.heartbeatMs),
  });
  if (!reply) return;
  const isLedgerDown = reply.session === 'unknown';
  if (endsSilence({ silentMs: silenceOf(answeredAt), leaseMs: setup.leaseMs, isLedgerDown }))
    Atomics.store(answeredAt, 0, process.hrtime.bigint());
  parentPort?.postMessage({ sessionId: snapshot.sessionId, reply });
}
