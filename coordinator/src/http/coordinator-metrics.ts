import { type MetricName, metricList } from '@proofmark/process/metric-list';
import { ProcessMetrics } from '@proofmark/process/process-metrics';
import type { Lanes } from '../database/connect.ts';
import type { ResultCounts } from '../dispatch/handle-results.ts';
import type { PermitCounts } from '../dispatch/rpc-answers.ts';
import type { GithubTold } from '../feedback/github-told.ts';
import type { QueueState } from '../upkeep/queue-watch.ts';
import type { LoopState, Pass } from '../upkeep/run-loops.ts';

/** What the parts of a coordinator tell, as metrics. */
export interface CoordinatorMetrics extends Pick<ProcessMetrics<'coordinator'>, 'read'> {
  countResults: (counts: Partial<ResultCounts>) => void;
  countPermits: (counts: Partial<PermitCounts>) => void;
  /** Chunks that a runner took, each with the number of its attempt. */
  countAttempts: (claimed: readonly { attempt: number }[]) => void;
  countDroppedCall: (call: string) => void;
  countPass: (loop: string, pass: Pass) => void;
  countRequest: (status: number) => void;
  github: GithubTold;
  /** The queues of the whole fleet: each replica tells the same. */
  setQueues: (queues: QueueState) => void;
  /** Whoever is asked for it each time that somebody reads the metrics. */
  watch: (sources: Sources) => void;
}

interface Sources {
  loops: () => readonly LoopState[];
  isBrokerConnected: () => boolean;
  connections: Lanes['connections'];
}

export function coordinatorMetrics(): CoordinatorMetrics {
  const metrics = new ProcessMetrics('coordinator');
  const sources: Partial<Sources> = {};
  metrics.onRead(() => readSources(metrics, sources));
  return {
    read: () => metrics.read(),
    countResults: (counts) => {
      for (const outcome of metricList.proofmark_results_total.labels.outcome)
        metrics.add('proofmark_results_total', { outcome }, counts[outcome] ?? 0);
    },
    countPermits: (counts) => {
      for (const outcome of metricList.proofmark_permits_total.labels.outcome)
        metrics.add('proofmark_permits_total', { outcome }, counts[outcome] ?? 0);
    },
    countAttempts: (claimed) => {
      for (const { attempt } of claimed)
        metrics.add('proofmark_attempts_total', { attempt: attempt === 1 ? 'first' : 'again' });
    },
    countDroppedCall: (call) => metrics.add('proofmark_calls_dropped_total', { call }),
    countPass: (loop, { counts, seconds }) => {
      metrics.observe('proofmark_loop_pass_seconds', { loop }, seconds);
      if (counts === null) metrics.add('proofmark_loop_failures_total', { loop });
      for (const [what, count] of Object.entries(counts ?? {}))
        metrics.add('proofmark_upkeep_total', { loop, what }, count);
    },
    countRequest: (status) => metrics.add('proofmark_graphql_requests_total', { status: String(status) }),
    github: {
      answered: ({ kind, status }) =>
        metrics.add('proofmark_github_requests_total', { kind, status: status === null ? 'none' : String(status) }),
      paused: () => metrics.add('proofmark_github_pauses_total', {}),
    },
    setQueues: (queues) => setQueues(metrics, queues),
    watch: (all) => void Object.assign(sources, all),
  };
}

const ofPools = [
  ...(['proofmark_queue_age_seconds', 'proofmark_queue_test_runs', 'proofmark_queue_chunks'] as const),
  ...(['proofmark_runners', 'proofmark_runner_slots'] as const),
] satisfies MetricName<'coordinator', 'gauge'>[];

function setQueues(metrics: ProcessMetrics<'coordinator'>, { pools, pauseSeconds }: QueueState): void {
  for (const gauge of ofPools) metrics.clear(gauge);
  for (const { pool, ageSeconds, runners, slots, ...state } of pools) {
    metrics.set('proofmark_queue_age_seconds', { pool }, ageSeconds);
    metrics.set('proofmark_queue_test_runs', { pool, state: 'waiting' }, state.waiting);
    metrics.set('proofmark_queue_test_runs', { pool, state: 'running' }, state.running);
    metrics.set('proofmark_queue_chunks', { pool, state: 'waiting' }, state.waitingChunks);
    metrics.set('proofmark_queue_chunks', { pool, state: 'running' }, state.runningChunks);
    metrics.set('proofmark_runners', { pool }, runners);
    metrics.set('proofmark_runner_slots', { pool }, slots);
  }
  metrics.set('proofmark_github_pause_seconds', {}, pauseSeconds);
}

function readSources(
  metrics: ProcessMetrics<'coordinator'>,
  { loops, isBrokerConnected, connections }: Partial<Sources>,
): void {
  metrics.set('proofmark_nats_connected', {}, isBrokerConnected?.() ? 1 : 0);
  for (const { name, lastRunMs } of loops?.() ?? [])
    metrics.set('proofmark_loop_age_seconds', { loop: name }, (performance.now() - (lastRunMs ?? 0)) / 1000);
  for (const { login, lane, busy, idle, limit, waiting } of connections?.() ?? []) {
    metrics.set('proofmark_database_connections', { login, lane, state: 'busy' }, busy);
    metrics.set('proofmark_database_connections', { login, lane, state: 'idle' }, idle);
    metrics.set('proofmark_database_connections', { login, lane, state: 'limit' }, limit);
    metrics.set('proofmark_database_waiting', { login, lane }, waiting);
  }
}
