// How long pages of the API take beside a million stored results, and beside SQL that somebody wrote for the same answer.
// Run: npx pnpm benchmark:queries [--results 1000000] [--clients 8] [--requests 400]
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { createDatabase } from '../../tests/stack/databases.ts';
import { startOwnNats } from '../../tests/stack/nats.ts';
import { startOwnPostgres } from '../../tests/stack/postgres.ts';
import { type Product, startProduct } from '../../tests/stack/product.ts';
import { startModel } from '../bare/bare-loop.ts';
import { describePostgres, say } from '../distributed/stack.ts';
import { storeCopies } from './store-results.ts';

const Count = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: {
    results: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '8' },
    /** Of each question, from all clients together. */
    requests: { type: 'string', default: '400' },
  },
});
const { results, clients, requests } = z.object({ results: Count, clients: Count, requests: Count }).parse(values);
const casesPerRun = 2_000;
const runs = Math.ceil(results / casesPerRun);
/** A page is slow beyond its limit and beyond so many times the hand-written SQL. */
const mostTimesByHand = 3;

const Answer = z.object({ data: z.record(z.string(), z.unknown()).nullish(), errors: z.unknown().optional() });

async function ask({ url, token }: Product, query: string, variables: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = Answer.parse(await response.json());
  if (!data || errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

/** One run of 2,000 cases, really run and judged: what is stored are copies of it. */
async function runOnce(product: Product): Promise<string> {
  const cases = Array.from({ length: casesPerRun }, (_, at) => ({
    name: `Case ${at}`,
    input: `Open on day ${at}?`,
    expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['17'] }] },
  }));
  const agent = { name: 'Shop', instructions: 'You answer questions of customers of a small shop.' };
  const files = [
    {
      path: 'proofmark.json',
      text: JSON.stringify({ ai_configurations: { bare: { provider: 'openai', model: 'bare-model' } } }),
    },
    { path: 'evals/shop.suite.json', text: JSON.stringify({ name: 'Shop', agent, cases }) },
  ];
  const input = {
    ...{ idempotencyKey: randomUUID(), trigger: { triggeredBy: 'API' }, files },
    ...{ projectPath: 'proofmark.json', suitePaths: ['evals/shop.suite.json'] },
  };
  const text = `mutation ($input: StartRunInput!) { startRun(input: $input) {
    __typename ... on StartRunSuccess { run { id } } ... on UserError { message } ... on InvalidDefinitions { problems { message } } } }`;
  const Started = z.object({ startRun: z.looseObject({ run: z.object({ id: z.string() }) }) });
  // Where a busy machine is late, the same key gives the same run.
  const started = await startTimes(10, async () => Started.parse(await ask(product, text, { input })));
  const { id } = started.startRun.run;
  const State = z.object({ run: z.object({ status: z.string() }) });
  for (;;) {
    const { run } = State.parse(await ask(product, 'query ($id: UUID!) { run(id: $id) { status } }', { id }));
    if (run.status === 'COMPLETED') return id;
    await pause(200);
  }
}

/** What it comes to when it is tried so often; the last reason when it never works. */
async function startTimes<Result>(times: number, attempt: () => Promise<Result>): Promise<Result> {
  for (let left = times; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

interface Question {
  name: string;
  /** What the 95th of a hundred answers may take, in milliseconds. */
  limitMs: number;
  api: { query: string; variables: (at: number) => object };
  byHand: { sql: string; parameters: (at: number) => unknown[] };
}

/** The time of the 95th of a hundred, with so many askers that each wait for their answer before they ask again. */
async function p95(work: (at: number) => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    for (let at = next++; at < requests; at = next++) {
      const began = performance.now();
      await work(at);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  times.sort((a, b) => a - b);
  const of = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: of(0.5), p95: of(0.95) };
}

async function questionsOf(database: pg.Pool): Promise<Question[]> {
  const { rows } = await database.query<{ id: string; suiteId: string }>(
    `select id, suite_id as "suiteId" from test_suite_runs order by created_at desc limit 400`,
  );
  const id = (at: number) => rows[at % rows.length]?.id ?? '';
  const cases = await database.query<{ id: string; testCaseId: string }>(
    `select id, test_case_id as "testCaseId" from test_case_results where run_id = $1 order by sort_order limit 400`,
    [id(0)],
  );
  const testCaseId = (at: number) => cases.rows[at % cases.rows.length]?.testCaseId ?? '';
  const suiteId = rows[0]?.suiteId ?? '';
  return [
    {
      name: 'page of 50 runs',
      limitMs: 40,
      api: {
        query: `query { runs(first: 50) { edges { node { id status event repository headSha ref createdAt completedAt createdBy
          verdictWord totalCases openCases passedCases failedCases erroredCases skippedCases } } pageInfo { hasNextPage endCursor } } }`,
        variables: () => ({}),
      },
      byHand: {
        sql: `select r.id, r.status, r.trigger ->> 'event' as event, r.head_sha, r.created_at, r.completed_at, r.verdict, u.login,
            s.total_cases, s.passed_cases, s.failed_cases, s.errored_cases, s.skipped_cases
          from runs r left join users u on u.tenant_id = r.tenant_id and u.id = r.created_by
          join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
          order by r.created_at desc, r.id desc limit 50`,
        parameters: () => [],
      },
    },
    {
      name: 'run with a page of 50 results',
      limitMs: 40,
      api: {
        query: `query ($id: UUID!) { suiteRun(id: $id) { suiteName status totalCases passedCases failedCases
          testRuns(first: 50) { edges { node { id caseName repetition status response executionTimeMs checks { type status details } } }
            pageInfo { hasNextPage endCursor } } } }`,
        variables: (at) => ({ id: id(at) }),
      },
      byHand: {
        sql: `select s.suite_name, s.status, s.total_cases, s.passed_cases, s.failed_cases, c.id, c.case_name, c.repetition, c.status,
            c.actual_response, c.duration_ms, c.check_results
          from test_suite_runs s cross join lateral (
            select * from test_case_results c where c.run_id = s.id and c.tenant_id = s.tenant_id
            order by c.sort_order, c.repetition, c.id limit 51) c
          where s.id = $1 order by c.sort_order, c.repetition, c.id`,
        parameters: (at) => [id(at)],
      },
    },
    {
      name: 'history of a case',
      limitMs: 12,
      api: {
        query: `query ($id: UUID!) { caseHistory(testCaseId: $id, first: 50) { flakiness points { suiteRunId headSha passed failed latencyMs endedAt } } }`,
        variables: (at) => ({ id: testCaseId(at) }),
      },
      byHand: {
        sql: `select h.suite_run_id, r.head_sha, h.outcomes, h.latency_ms, h.ended_at, t.flakiness from case_summaries h
          join test_cases t on t.tenant_id = h.tenant_id and t.id = h.test_case_id
          join test_suite_runs s on s.tenant_id = h.tenant_id and s.id = h.suite_run_id
          join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
          where h.test_case_id = $1 and h.is_base order by h.ended_at desc limit 50`,
        parameters: (at) => [testCaseId(at)],
      },
    },
    {
      name: 'pass rates of a suite',
      limitMs: 12,
      api: {
        query: `query ($id: UUID!) { passRateHistory(suiteId: $id, first: 50) { suiteRunId headSha passRate completedAt } }`,
        variables: () => ({ id: suiteId }),
      },
      byHand: {
        sql: `select s.id, s.passed_cases, s.passed_cases + s.failed_cases, s.completed_at from test_suite_runs s
          join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
          where s.suite_id = $1 and r.is_base order by s.created_at desc limit 50`,
        parameters: () => [suiteId],
      },
    },
    {
      name: `comparison of 2 x ${casesPerRun}`,
      limitMs: 30,
      api: {
        query: `query ($base: UUID!, $head: UUID!) { comparison(baseSuiteRunId: $base, headSuiteRunId: $head) {
          verdict { word title } cases(first: 50) { caseName p base { passed scored answer } head { passed scored answer } } } }`,
        variables: (at) => ({ base: id(at + 1), head: id(at) }),
      },
      byHand: {
        sql: `with sides as (
            select c.case_name, c.run_id = $2 as is_head, count(*) filter (where c.status = 'passed') as passed,
              count(*) filter (where c.status in ('passed', 'failed')) as scored, min(c.case_hash || c.instrument_hash) as what,
              avg(c.latency_ms) as latency, avg(c.cost_usd) as cost
            from test_case_results c where c.run_id in ($1, $2) group by 1, 2),
          cases as (
            select case_name, b.passed as base_passed, b.scored as base_scored, h.passed, h.scored, b.what = h.what as is_same,
              h.latency - b.latency as slower, h.cost - b.cost as dearer
            from (select * from sides where not is_head) b full join (select * from sides where is_head) h using (case_name)),
          shown as (select * from cases order by passed::float8 / nullif(scored, 0) - base_passed::float8 / nullif(base_scored, 0), case_name limit 50)
          select s.*, t.sum_passed, t.sum_base, t.slower as all_slower, b.actual_response as base_answer, h.actual_response as head_answer
          from shown s cross join (
            select sum(passed) as sum_passed, sum(base_passed) as sum_base, avg(slower) as slower from cases) t
          left join lateral (select actual_response from test_case_results where run_id = $1 and case_name = s.case_name limit 1) b on true
          left join lateral (select actual_response from test_case_results where run_id = $2 and case_name = s.case_name limit 1) h on true`,
        parameters: (at) => [id(at + 1), id(at)],
      },
    },
  ];
}

using model = await startModel(0);
await using postgres = await startOwnPostgres();
say(await describePostgres(postgres.url));
await using nats = await startOwnNats();
const databaseUrl = await createDatabase(postgres.url);
await using product = await startProduct({
  ...{ postgresUrl: postgres.url, databaseUrl, nats, modelUrl: `${model.origin}/v1`, runners: 1 },
  runnerEnv: { PROOFMARK_SLOTS: '50' },
});
const runId = await runOnce(product);
const database = new pg.Pool({ connectionString: databaseUrl, max: clients });
const suiteRun = await database.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [runId]);
const began = performance.now();
await storeCopies(databaseUrl, { runId, suiteRunId: suiteRun.rows[0]?.id ?? '' }, { runs, runsPerStatement: 25 });
say(
  `${runs * casesPerRun} results stored in ${((performance.now() - began) / 1000).toFixed(0)} s; ${clients} clients; load ${loadavg()[0]?.toFixed(1)}`,
);
const size = await database.query<{ mb: number }>('select (pg_database_size(current_database()) / 1e6)::int as mb');
say(`the ledger has ${size.rows[0]?.mb} MB, indexes included`);
say('                                  API p50    p95   by hand p50    p95   times by hand, limit');
for (const { name, limitMs, api, byHand } of await questionsOf(database)) {
  const asked = (at: number) => ask(product, api.query, api.variables(at));
  const written = (at: number) => database.query(byHand.sql, byHand.parameters(at));
  // A coordinator that has served for an hour has compiled its code and planned its statements on each connection.
  await p95(asked);
  await p95(written);
  const ours = await p95(asked);
  const theirs = await p95(written);
  const times = ours.p95 / theirs.p95;
  const isFast = ours.p95 <= limitMs || times <= mostTimesByHand;
  if (!isFast) process.exitCode = 1;
  const cell = (ms: number, width: number) => ms.toFixed(1).padStart(width);
  say(
    `${name.padEnd(32)}${cell(ours.p50, 9)}${cell(ours.p95, 7)}${cell(theirs.p50, 14)}${cell(theirs.p95, 7)}   ${times.toFixed(1)}, ${limitMs} ms${isFast ? '' : ': too slow'}`,
  );
}
await database.end();
