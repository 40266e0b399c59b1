import { ErrorKind } from '@proofmark/contracts/error-kind';

/**
 * What a label can be: one of these words; or whatever comes, of which so many are told apart. All others are `other`, so that
 * nobody outside can make more series than stand here.
 */
type LabelValues = readonly string[] | { readonly most: number };

interface ListedMetric {
  of: 'coordinator' | 'runner';
  /** Its part of the dashboard and of the table. */
  about: 'queue' | 'work' | 'models' | 'GitHub' | 'database' | 'loops';
  type: 'counter' | 'gauge' | 'histogram';
  unit: 's' | 'USD' | 'tokens' | 'count';
  labels: Readonly<Record<string, LabelValues>>;
  /** One sentence. */
  help: string;
  /** How values of several processes become one: what each tells of the whole fleet or the worst of them, or their sum. */
  across?: 'max' | 'min' | 'sum';
  /** Upper ends of the buckets of a histogram. */
  buckets?: readonly number[];
}

const pools = { most: 100 };
const loops = { most: 40 };
const providers = { most: 40 };
const roles = ['agent', 'judge', 'embedding', 'simulator'] as const;
/** A scripted model answers in milliseconds, an agent with tools in minutes. */
const secondsOfCalls = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const secondsOfPasses = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** Every metric of our own, in the order of the documentation; processes tell those of Node beside them. */
export const metricList = {
  proofmark_queue_age_seconds: {
    of: 'coordinator',
    about: 'queue',
    type: 'gauge',
    unit: 's',
    labels: { pool: pools },
    help: 'Age of the oldest suite run of which test runs wait for a runner of the pool; 0: nothing waits.',
  },
  proofmark_queue_test_runs: {
    of: 'coordinator',
    about: 'queue',
    type: 'gauge',
    unit: 'count',
    labels: { pool: pools, state: ['waiting', 'running'] },
    help: 'Test runs that wait for a runner of the pool, or that one holds.',
  },
  proofmark_queue_chunks: {
    of: 'coordinator',
    about: 'queue',
    type: 'gauge',
    unit: 'count',
    labels: { pool: pools, state: ['waiting', 'running'] },
    help: 'Chunks that wait for a runner of the pool, or that one holds.',
  },
  proofmark_runners: {
    of: 'coordinator',
    about: 'queue',
    type: 'gauge',
    unit: 'count',
    labels: { pool: pools },
    help: 'Connected runners of the pool.',
  },
  proofmark_runner_slots: {
    of: 'coordinator',
    about: 'queue',
    type: 'gauge',
    unit: 'count',
    labels: { pool: pools },
    help: 'Test runs that the connected runners of the pool take at the same time.',
  },
  proofmark_attempts_total: {
    of: 'coordinator',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { attempt: ['first', 'again'] },
    help: 'Chunks that runners took, for the first time or again after a runner was lost or gave them back.',
  },
  proofmark_results_total: {
    of: 'coordinator',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { outcome: ['recorded', 'late', 'dead', 'forged'] },
    help: 'Results by what became of them.',
  },
  proofmark_permits_total: {
    of: 'coordinator',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { outcome: ['granted', 'empty', 'complaints'] },
    help: 'Turns given to runners to call models with a limit (granted), questions that got none (empty), and 429s (complaints).',
  },
  proofmark_calls_dropped_total: {
    of: 'coordinator',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { call: { most: 20 } },
    help: 'Calls of runners that were not answered, because their time was over: this replica has more to do than it can.',
  },
  proofmark_graphql_requests_total: {
    of: 'coordinator',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { status: { most: 40 } },
    help: 'GraphQL requests by status.',
  },
  proofmark_nats_connected: {
    of: 'coordinator',
    about: 'work',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: '1 while connected to NATS.',
    across: 'min',
  },
  proofmark_test_runs_total: {
    of: 'runner',
    about: 'work',
    type: 'counter',
    unit: 'count',
    labels: { outcome: ['passed', 'failed', ...ErrorKind.options] },
    help: 'Attempts at test runs that have ended: passed, failed, or the kind of their error.',
  },
  proofmark_test_run_seconds: {
    of: 'runner',
    about: 'work',
    type: 'histogram',
    unit: 's',
    labels: {},
    help: 'How long attempts at test runs took, with checks and judges.',
    buckets: secondsOfCalls,
  },
  proofmark_held_test_runs: {
    of: 'runner',
    about: 'work',
    type: 'gauge',
    unit: 'count',
    labels: { state: ['held', 'waiting', 'unconfirmed'] },
    help: 'Test runs that the runner holds, those of them that wait without a slot for their turn to call, and results that no coordinator has confirmed.',
    across: 'sum',
  },
  proofmark_free_slots: {
    of: 'runner',
    about: 'work',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: 'Further test runs that the runner could take now.',
    across: 'sum',
  },
  proofmark_coordinator_silence_seconds: {
    of: 'runner',
    about: 'work',
    type: 'gauge',
    unit: 's',
    labels: {},
    help: 'Time since a coordinator last answered the runner.',
  },
  proofmark_agent_answer_seconds: {
    of: 'runner',
    about: 'models',
    type: 'histogram',
    unit: 's',
    labels: {},
    help: 'How long agents took for their answers, without failed tries and without waiting for a turn.',
    buckets: secondsOfCalls,
  },
  proofmark_agent_retries_total: {
    of: 'runner',
    about: 'models',
    type: 'counter',
    unit: 'count',
    labels: {},
    help: 'Tries of agents that came after one that failed.',
  },
  proofmark_model_calls_total: {
    of: 'runner',
    about: 'models',
    type: 'counter',
    unit: 'count',
    labels: {
      provider: providers,
      operation: ['chat', 'embeddings'],
      outcome: [
        ...['answered', 'bad_answer', 'rate_limit', 'authentication', 'bad_request', 'server', 'connection'],
        ...['timeout', 'aborted', 'other'],
      ],
    },
    help: 'Calls to models, each try by itself, by what came of it; aborted: its time was over, or its run.',
  },
  proofmark_model_call_seconds: {
    of: 'runner',
    about: 'models',
    type: 'histogram',
    unit: 's',
    labels: { provider: providers, operation: ['chat', 'embeddings'] },
    help: 'How long calls to models took, each try by itself, without waiting for a turn.',
    buckets: secondsOfCalls,
  },
  proofmark_tokens_total: {
    of: 'runner',
    about: 'models',
    type: 'counter',
    unit: 'tokens',
    labels: { role: roles, direction: ['input', 'output'] },
    help: 'Tokens that models and agents told of, by who they were used for.',
  },
  proofmark_cost_usd_total: {
    of: 'runner',
    about: 'models',
    type: 'counter',
    unit: 'USD',
    labels: { role: roles },
    help: 'What test runs cost, as far as prices are known, by who it was spent for.',
  },
  proofmark_github_requests_total: {
    of: 'coordinator',
    about: 'GitHub',
    type: 'counter',
    unit: 'count',
    labels: { kind: ['read', 'write', 'graphql', 'token'], status: { most: 40 } },
    help: 'Requests to GitHub by status; none: no answer came.',
  },
  proofmark_github_pauses_total: {
    of: 'coordinator',
    about: 'GitHub',
    type: 'counter',
    unit: 'count',
    labels: {},
    help: 'Times that GitHub asked for a pause.',
  },
  proofmark_github_pause_seconds: {
    of: 'coordinator',
    about: 'GitHub',
    type: 'gauge',
    unit: 's',
    labels: {},
    help: 'How long GitHub still wants to be left alone, of the installation for which it is longest; 0: no pause.',
  },
  proofmark_database_connections: {
    of: 'coordinator',
    about: 'database',
    type: 'gauge',
    unit: 'count',
    labels: {
      login: ['app', 'worker'],
      lane: ['requests', 'background', 'runners', 'loops', 'forge'],
      state: ['busy', 'idle', 'limit'],
    },
    help: 'Connections to Postgres that are in use or idle, and how many there may be.',
    across: 'sum',
  },
  proofmark_database_waiting: {
    of: 'coordinator',
    about: 'database',
    type: 'gauge',
    unit: 'count',
    labels: { login: ['app', 'worker'], lane: ['requests', 'background', 'runners', 'loops', 'forge'] },
    help: 'What waits for a connection to Postgres.',
    across: 'sum',
  },
  proofmark_loop_age_seconds: {
    of: 'coordinator',
    about: 'loops',
    type: 'gauge',
    unit: 's',
    labels: { loop: loops },
    help: 'Time since the last good pass of the loop.',
  },
  proofmark_loop_pass_seconds: {
    of: 'coordinator',
    about: 'loops',
    type: 'histogram',
    unit: 's',
    labels: { loop: loops },
    help: 'How long passes of the loop took, failed ones too.',
    buckets: secondsOfPasses,
  },
  proofmark_loop_failures_total: {
    of: 'coordinator',
    about: 'loops',
    type: 'counter',
    unit: 'count',
    labels: { loop: loops },
    help: 'Passes of the loop that failed and are repeated.',
  },
  proofmark_upkeep_total: {
    of: 'coordinator',
    about: 'loops',
    type: 'counter',
    unit: 'count',
    labels: { loop: loops, what: { most: 60 } },
    help: 'What the loops did.',
  },
} as const satisfies Readonly<Record<`proofmark_${string}`, ListedMetric>>;

type MetricList = typeof metricList;

/** Metrics of one process; `Type` narrows them to counters, gauges or histograms. */
export type MetricName<
  Process extends ListedMetric['of'] = ListedMetric['of'],
  Type extends ListedMetric['type'] = ListedMetric['type'],
> = {
  [Name in keyof MetricList]: MetricList[Name] extends { of: Process; type: Type } ? Name : never;
}[keyof MetricList];

/** The labels of a metric with what each may be. */
export type MetricLabels<Name extends MetricName> = {
  readonly [Label in keyof MetricList[Name]['labels']]: MetricList[Name]['labels'][Label] extends readonly (infer Word)[]
    ? Word
    : string;
};

/** A metric by its name, for whoever prints them all. */
export const listedMetrics = Object.entries(metricList).map(([name, listed]): ListedMetric & { name: string } => ({
  name,
  ...listed,
}));
