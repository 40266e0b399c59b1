import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../stack/databases.ts';
import type { GithubServer } from '../stack/github-server.ts';
import type { ServerDialect } from '../stack/model/dialects.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { type Nats, type OwnNats, startOwnNats } from '../stack/nats.ts';
import { type ProjectProcess, startProcess } from '../stack/processes.ts';
import { type Product, startProduct } from '../stack/product.ts';
import { waitUntil } from '../stack/wait-until.ts';

type StartOptions = {
  runners?: number;
  rules?: readonly Rule[];
  /** How the model refuses and answers; absent: obligingly. */
  dialect?: ServerDialect;
  /** How long the model takes for each answer. */
  delayMs?: number;
  github?: GithubServer;
  coordinatorEnv?: Record<string, string>;
  runnerEnv?: Record<string, string>;
  /** Where runners run, and look for programs; absent: the root of the repository. */
  runnerFolder?: string;
  /** Where the broker keeps its streams, for tests that take them away. */
  natsStoreDir?: string;
  /** For tests that take processes away: leases so short that it is noticed within seconds, even if one is only slow. */
  hasShortLeases?: boolean;
};

/** A product under test. */
export type RunningProduct<Broker extends Nats = OwnNats> = AsyncDisposable & {
  product: Product;
  nats: Broker;
  model: ModelServer;
  databaseUrl: string;
  /** Another replica beside the first, on the same ledger and broker; ended with the others. */
  addCoordinator: () => Promise<Replica>;
  /** Sends a request with the admin's token, or with another one. */
  ask: (query: string, variables?: Record<string, unknown>, token?: string) => Promise<GraphqlAnswer>;
  /** Rows of the ledger, as its superuser. */
  rows: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  start: (suite: Suite, options?: { idempotencyKey?: string; token?: string }) => Promise<string>;
  waitForEnd: (runId: string, timeoutMs?: number) => Promise<EndedRun>;
};

const ReadyLine = z.looseObject({ ready: z.literal(true), url: z.url() });
type Replica = ProjectProcess<z.infer<typeof ReadyLine>>;

export interface GraphqlAnswer {
  status: number;
  data: Record<string, unknown> | null;
  errors: { message: string; extensions?: { code?: string } }[];
  /** What the request cost, and what it may cost at most. */
  cost: { query: number; limit: number } | undefined;
}

interface EndedRun {
  status: string;
  verdict: string | null;
  results: { status: string; errorKind: string | null; attempt: number; caseName: string; repetition: number }[];
}

const shortTimes = {
  PROOFMARK_LEASE_MS: '2000',
  PROOFMARK_HEARTBEAT_MS: '200',
  PROOFMARK_REAP_MS: '200',
  PROOFMARK_ACK_WAIT_MS: '2000',
  PROOFMARK_REPUBLISH_MS: '1000',
  PROOFMARK_TOPOLOGY_MS: '1000',
};

/** Starts Postgres database, broker, model, coordinator and runners of its own: killing any of them disturbs nobody else. */
export async function startRunningProduct(options: StartOptions = {}): Promise<RunningProduct> {
  const { natsStoreDir: storeDir } = options;
  return await startOnBroker(await startOwnNats(storeDir === undefined ? {} : { storeDir }), options);
}

/** The same on a broker that a test has started; it ends with the others. */
export async function startOnBroker<Broker extends Nats>(
  nats: Broker,
  options: StartOptions = {},
): Promise<RunningProduct<Broker>> {
  const closing = new AsyncDisposableStack();
  closing.use(nats);
  const times = options.hasShortLeases === true ? shortTimes : {};
  try {
    const model = closing.use(
      await startModelServer({
        rules: options.rules ?? [{ reply: 'We open at 9 and close at 17.' }],
        ...(options.dialect && { dialect: options.dialect }),
        delayMs: options.delayMs ?? 0,
      }),
    );
    const databaseUrl = await createDatabase(inject('postgresUrl'), { template: inject('migratedDatabase') });
    closing.defer(() => dropDatabase(inject('postgresUrl'), databaseUrl));
    const product = closing.use(
      await startProduct({
        postgresUrl: inject('postgresUrl'),
        databaseUrl,
        nats,
        modelUrl: model.url,
        programs: inject('programs'),
        ...(options.github === undefined ? {} : { github: options.github }),
        runners: options.runners ?? 1,
        coordinatorEnv: { ...times, ...options.coordinatorEnv },
        runnerEnv: { PROOFMARK_SLOTS: '4', ...options.runnerEnv },
        ...(options.runnerFolder === undefined ? {} : { runnerFolder: options.runnerFolder }),
      }),
    );
    const addCoordinator = async () =>
      closing.use(
        await startProcess({
          name: 'another coordinator',
          entry: inject('programs').coordinator,
          env: {
            ...times,
            DATABASE_URL: databaseUrl,
            NATS_URL: nats.url,
            PORT: '0',
            PROOFMARK_HOST: '127.0.0.1',
            PUBLIC_URL: product.url,
            PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
            ...options.coordinatorEnv,
          },
          ready: { line: ReadyLine },
        }),
      );
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    closing.defer(() => pool.end());
    const rows: RunningProduct['rows'] = async (text, values = []) => (await pool.query(text, values)).rows;
    const ask: RunningProduct['ask'] = (query, variables = {}, token = product.token) =>
      askGraphql(product.url, { query, variables, token });
    return {
      product,
      nats,
      model,
      databaseUrl,
      addCoordinator,
      ask,
      rows,
      start: (suite, { idempotencyKey = randomUUID(), token } = {}) => startRun(ask, suite, idempotencyKey, token),
      waitForEnd: (runId, timeoutMs = 50_000) => waitForEnd(rows, runId, { timeoutMs, log: product.coordinator.log }),
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

type Question = { query: string; variables?: Record<string, unknown>; token: string };

export async function askGraphql(url: string, { query, variables = {}, token }: Question): Promise<GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data = null, errors = [], extensions } = JSON.parse(await response.text());
  return { status: response.status, data, errors, cost: extensions?.cost };
}

export interface Suite {
  files: { path: string; text: string }[];
  suitePaths: string[];
  projectPath?: string;
  settings?: { budgetUsd: number };
}

interface SuiteSketch {
  cases?: number;
  repetitions?: number;
  pool?: string;
}

/** A suite whose agent asks the scripted model; each case passes when the answer says when the shop closes. */
export function modelSuite({ cases = 1, repetitions = 1, pool }: SuiteSketch = {}): Suite {
  const listed = Array.from(
    { length: cases },
    (_, at) =>
      `  - { name: Case ${at + 1}, input: "When do you close? (${at + 1})", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }`,
  );
  const suite = [
    'name: Opening hours',
    'agent: ../agents/desk.agent.yaml',
    `repetitions: ${repetitions}`,
    ...(pool === undefined ? [] : [`pool: ${pool}`]),
    'cases:',
    ...listed,
    '',
  ];
  return {
    files: [
      { path: 'proofmark.yaml', text: 'ai_configurations:\n  desk-model: { provider: openai, model: scripted }\n' },
      {
        path: 'agents/desk.agent.yaml',
        text: 'name: Desk\nai_configuration: desk-model\ninstructions: You answer for a shop.\n',
      },
      { path: 'evals/hours.suite.yaml', text: suite.join('\n') },
    ],
    suitePaths: ['evals/hours.suite.yaml'],
    projectPath: 'proofmark.yaml',
  };
}

const startRunText = `mutation StartRun($input: StartRunInput!) {
  startRun(input: $input) {
    __typename
    ... on StartRunSuccess { run { id } created dispatch }
    ... on UserError { code message }
    ... on InvalidDefinitions { problems { file line path message } }
    ... on IdempotencyConflict { runId }
  }
}`;

const mostLateAnswers = 20;

/** The answer of `startRun` as it is. Where a busy machine is late with it, it is asked again with the same key, as clients do. */
export async function askToStart(ask: RunningProduct['ask'], suite: Suite, idempotencyKey: string, token?: string) {
  const input = { idempotencyKey, trigger: { triggeredBy: 'API' }, ...suite };
  const isLate = ({ errors }: GraphqlAnswer) =>
    errors.some(({ extensions }) => extensions?.code === 'TIMEOUT' || extensions?.code === 'UNAVAILABLE');
  let answer = await ask(startRunText, { input }, token);
  for (let late = 0; late < mostLateAnswers && isLate(answer); late += 1)
    answer = await ask(startRunText, { input }, token);
  expect(answer.errors).toEqual([]);
  return answer.data?.startRun;
}

async function startRun(
  ask: RunningProduct['ask'],
  suite: Suite,
  idempotencyKey: string,
  token: string | undefined,
): Promise<string> {
  const started = await askToStart(ask, suite, idempotencyKey, token);
  expect(started).toMatchObject({ __typename: 'StartRunSuccess', run: { id: expect.any(String) } });
  return (started as { run: { id: string } }).run.id; // Matched one line above.
}

async function waitForEnd(
  rows: RunningProduct['rows'],
  runId: string,
  { timeoutMs, log }: { timeoutMs: number; log: () => string },
): Promise<EndedRun> {
  const isOver = async () => {
    const [run] = await rows<{ status: string; verdict: string | null }>(
      'select status, verdict from runs where id = $1',
      [runId],
    );
    return run !== undefined && ['completed', 'failed', 'cancelled'].includes(run.status) ? run : undefined;
  };
  const run = await waitUntil(isOver, { what: `run ${runId} ended`, timeoutMs, everyMs: 50, detail: log });
  const results = await rows<EndedRun['results'][number]>(
    `select c.status, c.error_kind as "errorKind", c.attempt, c.case_name as "caseName", c.repetition
     from test_case_results c join test_suite_runs s on s.id = c.run_id where s.run_id = $1 order by c.sort_order, c.repetition`,
    [runId],
  );
  return { ...run, results };
}

/** For tests in which processes die and leases run out, on a machine that has other work too. */
export const patient = { timeout: 240_000 };

/** What holds for every ended run, whatever happened to it: one result for each test run, counters equal to rows, nothing open. */
export async function expectSoundLedger(rows: RunningProduct['rows'], runId: string): Promise<void> {
  const wrong = await rows(
    `select s.id, s.total_cases, s.passed_cases, s.failed_cases, s.skipped_cases, s.errored_cases, c.*, l.open
     from test_suite_runs s
     cross join lateral (select count(*)::int as results, count(distinct (case_key, repetition, variant))::int as different,
       count(*) filter (where status = 'passed')::int as passed, count(*) filter (where status in ('failed', 'error'))::int as failed,
       count(*) filter (where status = 'skipped')::int as skipped, count(*) filter (where status = 'error')::int as errored
       from test_case_results where run_id = s.id) c
     cross join lateral (select coalesce(sum(open_count), 0)::int as open from chunks where s.id in (suite_run_id, base_suite_run_id) and state in ('queued', 'leased')) l
     where s.run_id = $1 and not (c.results = s.total_cases and c.different = s.total_cases and c.passed = s.passed_cases
       and c.failed = s.failed_cases and c.skipped = s.skipped_cases and c.errored = s.errored_cases and l.open = 0)`,
    [runId],
  );
  expect(wrong).toEqual([]);
  expect(await rows('select open_suite_runs from runs where id = $1', [runId])).toEqual([{ open_suite_runs: 0 }]);
}

/** A moment for something that must not happen: there is no event to wait for. */
export const aMoment = async (ms: number): Promise<void> => await pause(ms);
