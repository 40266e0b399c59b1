import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ResultCounts } from '../dispatch/handle-results.ts';
import type { PermitCounts } from '../dispatch/rpc-answers.ts';
import type { PoolState } from '../upkeep/queue-watch.ts';
import type { Counts, LoopState } from '../upkeep/run-loops.ts';

export interface Metrics {
  countResults: (counts: Partial<ResultCounts>) => void;
  countPermits: (counts: Partial<PermitCounts>) => void;
  countDroppedCall: (call: string) => void;
  countPass: (loop: string, counts: Counts) => void;
  countRequest: (status: number) => void;
  /** The queues of the whole fleet: each replica tells the same. */
  setPools: (pools: readonly PoolState[]) => void;
  /** The text for Prometheus. */
  render: (loops: readonly LoopState[], isBrokerConnected: boolean) => Promise<string>;
  contentType: string;
}

export function makeMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const on = { registers: [registry] };
  const results = new Counter({
    name: 'proofmark_results_total',
    help: 'Results by what became of them.',
    labelNames: ['outcome'],
    ...on,
  });
  const work = new Counter({
    name: 'proofmark_upkeep_total',
    help: 'What the loops did.',
    labelNames: ['loop', 'what'],
    ...on,
  });
  const permits = new Counter({
    name: 'proofmark_permits_total',
    help: 'Turns given to runners to call models with a limit (granted), questions that got none (empty), and 429s (complaints).',
    labelNames: ['outcome'],
    ...on,
  });
  const dropped = new Counter({
    name: 'proofmark_calls_dropped_total',
    help: 'Calls of runners that were not answered, because their time was over: this replica has more to do than it can.',
    labelNames: ['call'],
    ...on,
  });
  const requests = new Counter({
    name: 'proofmark_graphql_requests_total',
    help: 'Requests by status.',
    labelNames: ['status'],
    ...on,
  });
  const ages = new Gauge({
    name: 'proofmark_loop_age_seconds',
    help: 'Time since the last good pass.',
    labelNames: ['loop'],
    ...on,
  });
  const broker = new Gauge({ name: 'proofmark_nats_connected', help: '1 while connected to NATS.', ...on });
  const queueAge = new Gauge({
    name: 'proofmark_queue_age_seconds',
    help: 'Age of the oldest suite run of which test runs wait for a runner of the pool. 0: nothing waits.',
    labelNames: ['pool'],
    ...on,
  });
  const queue = new Gauge({
    name: 'proofmark_queue_test_runs',
    help: 'Test runs that wait for a runner of the pool (waiting), or that one holds (running).',
    labelNames: ['pool', 'state'],
    ...on,
  });
  const runners = new Gauge({
    name: 'proofmark_runners',
    help: 'Connected runners of the pool.',
    labelNames: ['pool'],
    ...on,
  });
  const slots = new Gauge({
    name: 'proofmark_runner_slots',
    help: 'Test runs that the connected runners of the pool take at the same time.',
    labelNames: ['pool'],
    ...on,
  });
  return {
    contentType: registry.contentType,
    countResults: (counts) => {
      for (const [outcome, count] of Object.entries(counts)) results.inc({ outcome }, count);
    },
    countPermits: (counts) => {
      for (const [outcome, count] of Object.entries(counts)) permits.inc({ outcome }, count);
    },
    countDroppedCall: (call) => dropped.inc({ call }),
    countPass: (loop, counts) => {
      for (const [what, count] of Object.entries(counts)) if (count > 0) work.inc({ loop, what }, count);
    },
    countRequest: (status) => requests.inc({ status: String(status) }),
    setPools: (pools) => {
      // A pool that is gone has no series: the last value of it would stand for ever.
      for (const gauge of [queueAge, queue, runners, slots]) gauge.reset();
      for (const { pool, ...state } of pools) {
        queueAge.set({ pool }, state.ageSeconds);
        queue.set({ pool, state: 'waiting' }, state.waiting);
        queue.set({ pool, state: 'running' }, state.running);
        runners.set({ pool }, state.runners);
        slots.set({ pool }, state.slots);
      }
    },
    render: async (loops, isBrokerConnected) => {
      broker.set(isBrokerConnected ? 1 : 0);
      for (const { name, lastRunMs } of loops) ages.set({ loop: name }, (performance.now() - (lastRunMs ?? 0)) / 1000);
      return await registry.metrics();
    },
  };
}
