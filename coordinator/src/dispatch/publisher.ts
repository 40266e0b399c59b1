import { headers } from '@nats-io/transport-node';
import { workSubject } from '@proofmark/contracts/subjects';
import { tracing } from '@proofmark/process/tracing';
import { chaosPoint } from '../database/chaos.ts';
import type { Database } from '../database/transactions.ts';
import { closeOversized } from '../ledger/close-oversized.ts';
import { readServedPools } from '../ledger/fleet.ts';
import { markPublished, type Task, takeUnpublished } from '../ledger/publishing.ts';
import type { Broker } from './connect-nats.ts';
import { LARGEST_TASK_BYTES } from './streams.ts';
import type { Topology } from './topology.ts';

/** Published without an answer yet, at most; also the size of a pass. */
const inFlight = 256;
/** A pass follows the one before within so long, about, while work is taken. */
const passMs = 90;
/** Which pools have a runner is read again so long after the last time: each claim begins a pass, and hardly any changes it. */
const poolsHoldMs = 250;
/** The broker counts the subject and the headers too. */
const largestPayloadBytes = LARGEST_TASK_BYTES - 1024;

/** From what left within so long it is told how fast it goes. */
const seenMs = 250;

/** How fast test runs leave for the runners of a pool. */
export class PoolPace {
  readonly #monotonicMs: () => number;
  #left: { atMs: number; testRuns: number }[] = [];

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  note(testRuns: number): void {
    if (testRuns > 0) this.#left.push({ atMs: this.#monotonicMs(), testRuns });
  }

  /** How many leave within so long, if it goes on as in the last moments. */
  within(ms: number): number {
    const sinceMs = this.#monotonicMs() - seenMs;
    this.#left = this.#left.filter(({ atMs }) => atMs > sinceMs);
    const left = this.#left.reduce((sum, { testRuns }) => sum + testRuns, 0);
    return Math.round((left / seenMs) * ms);
  }
}

export interface Publisher {
  /** Sends what is next in the ledger, as much as runners are about to take; returns how many chunks the broker has taken. */
  publish: () => Promise<number>;
  /** A runner has come: the next pass looks which pools have one. Those that come to another replica are noticed a little later. */
  runnerCame: () => void;
}

type PublisherOptions = {
  broker: Broker;
  database: Database;
  topology: Topology;
  /** Suite runs have ended here. */
  onFinished: () => void;
};

export function makePublisher({ broker, database, topology, onFinished }: PublisherOptions): Publisher {
  const paces = new Map<string, PoolPace>();
  const paceOf = (pool: string): PoolPace => {
    const pace = paces.get(pool) ?? new PoolPace(() => performance.now());
    paces.set(pool, pace);
    return pace;
  };

  const publishPass = async (pool: string): Promise<number> => {
    const pace = paceOf(pool);
    const tasks = await takeUnpublished(database, { pool, limit: inFlight, pace: pace.within(passMs) });
    const all = tasks.map((task) => toMessage(pool, task));
    const messages = all.filter(({ payload }) => payload.length <= largestPayloadBytes);
    if (messages.length < all.length) {
      const finished = await closeOversized(
        database,
        all.flatMap(({ payload, task }) => (payload.length > largestPayloadBytes ? [task] : [])),
        `The case and its agent are larger than ${LARGEST_TASK_BYTES / 1024} KB together`,
      );
      if (finished.length > 0) onFinished();
    }
    const answers = await Promise.allSettled(messages.map((message) => send(message)));
    const taken = messages.filter((_, at) => answers[at]?.status === 'fulfilled');
    pace.note(taken.reduce((sum, { task }) => sum + task.testRuns, 0));
    if (taken.length > 0) await chaosPoint('after_publish_before_mark');
    await markPublished(
      database,
      taken.map(({ task }) => task),
    );
    // What the broker refused stays queued in the ledger; the loop says why and tries again.
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw new Error('the broker refused tasks', { cause: refused.reason });
    return all.length;
  };

  const send = async ({ subject, payload, msgID, task }: ReturnType<typeof toMessage>) => {
    const traces = task.traceParent === null ? null : tracing();
    if (traces === null) return await broker.js.publish(subject, payload, { msgID });
    const attributes = { 'messaging.system': 'nats', 'proofmark.run_id': task.runId, 'proofmark.chunk_id': task.id };
    return await traces.inSpan(
      { name: 'publish chunk', kind: 'producer', attributes, parent: task.traceParent },
      () => {
        const carried = headers();
        carried.set('traceparent', traces.traceparent() ?? '');
        return broker.js.publish(subject, payload, { msgID, headers: carried });
      },
    );
  };

  const toMessage = (pool: string, task: Task) => ({
    task,
    subject: workSubject(pool, task.tenantId, task.runId, task.id),
    payload: Buffer.from(task.payload),
    msgID: `${task.id}:${task.publishGen}`,
  });

  const publishPool = async (pool: string): Promise<number> => {
    await topology.addPool(pool);
    let total = 0;
    for (let count = inFlight; count === inFlight; total += count) count = await publishPass(pool);
    return total;
  };

  // What the broker does not take for one pool must not keep the others waiting.
  const publishPools = async (pools: readonly string[]): Promise<number> => {
    const passes = await Promise.allSettled(pools.map(publishPool));
    const failed = passes.find((pass) => pass.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return passes.reduce((sum, pass) => sum + (pass.status === 'fulfilled' ? pass.value : 0), 0);
  };

  /** As they were last found, a second ago or little more. */
  let served: readonly string[] = [];
  let poolsHoldUntilMs = 0;
  const publishNew = async (known: readonly string[]): Promise<number> => {
    if (performance.now() < poolsHoldUntilMs) return 0;
    // Before they are read: a runner that comes meanwhile may not be among them.
    poolsHoldUntilMs = performance.now() + poolsHoldMs;
    served = await readServedPools(database);
    return await publishPools(served.filter((pool) => !known.includes(pool)));
  };

  return {
    // The beginning of a run does not wait for the question whether its pool is still served.
    publish: async () => {
      const [known, added] = await Promise.allSettled([publishPools(served), publishNew(served)]);
      for (const pass of [known, added]) if (pass.status === 'rejected') throw pass.reason;
      return known.status === 'fulfilled' && added.status === 'fulfilled' ? known.value + added.value : 0;
    },
    runnerCame: () => {
      poolsHoldUntilMs = 0;
    },
  };
}
