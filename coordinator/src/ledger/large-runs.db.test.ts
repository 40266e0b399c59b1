import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { openLedger } from '../database/open-ledger.fixture.ts';
import { asWorker } from '../database/transactions.ts';
import { startRun } from '../start/start-run.ts';
import {
  anInput,
  begin,
  claimAll,
  claimTestRuns,
  given,
  miscounted,
  newRepository,
  newSession,
  newTenant,
  ownLedger,
  portsOf,
  resultOf,
  rowsRead,
} from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { claimChunks } from './claim-chunks.ts';
import { closeOverdue } from './close-overdue.ts';
import { enforceBudgets } from './enforce-budgets.ts';
import { markPublished, takeUnpublished } from './publishing.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';

// One connection for each login, so that a statistic can be told by whoever has it.
const ledger = await ownLedger(1);
const tenant = await newTenant(ledger);

/** For a machine that has other work too. */
const patient = { timeout: 300_000 };

/** A run of so many suites with a thousand cases each. */
function manyCases({ suites = 1, casesPerSuite = 1_000 }, more: Parameters<typeof anInput>[0] = {}) {
  const files = Array.from({ length: suites }, (_, suite) => {
    const cases = Array.from({ length: casesPerSuite }, (_none, number) => ({
      name: `case ${number}`,
      input: `question ${number}`,
      expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['yes'] }] },
    }));
    const agent = { name: 'agent', driver: { type: 'scripted', replies: [{ reply: 'yes' }] } };
    return { path: `evals/${suite}.suite.json`, text: JSON.stringify({ name: `Large ${suite}`, agent, cases }) };
  });
  return anInput({ files, suitePaths: files.map(({ path }) => path), ...more });
}

const queuedOf = async (runId: string, most: number): Promise<string[]> => {
  const rows = await ledger.query<{ id: string }>(
    `select m.id from chunks c cross join lateral unnest(c.members) with ordinality m(id, n)
     where c.run_id = $1 and c.state = 'queued' and (c.settled >> (m.n - 1)::int) & 1 = 0 order by 1 limit $2`,
    [runId, most],
  );
  return rows.map(({ id }) => id);
};

/** Claims a few test runs, in the form in which results are made of them. */
async function claimSome(runId: string, most: number) {
  const sessionId = await newSession(ledger);
  return await claimTestRuns(ledger, { sessionId, testRunIds: await queuedOf(runId, most) });
}

/** How many results the largest transaction has written that wrote results of the run. */
async function largestWrite(runId: string): Promise<number> {
  const [row] = await ledger.query<{ most: number }>(
    `select max(rows)::int as most from (
       select count(*) as rows from test_case_results c join test_suite_runs s on s.id = c.run_id
       where s.run_id = $1 group by c.xmin) t`,
    [runId],
  );
  return given(row).most;
}

const suiteRunsOf = (runId: string) =>
  ledger.query(
    `select status, failure_reason as reason, passed_cases + failed_cases + skipped_cases as ended, errored_cases as errored,
       skipped_cases as skipped from test_suite_runs where run_id = $1 order by sort_order`,
    [runId],
  );

it('20,000 cases of the base branch are stored, and one that is gone from it is hidden', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 20 }));
  const [stored] = await ledger.query<{ open: number }>(
    `select sum(open_count)::int as open from chunks where run_id = $1 and state = 'queued'`,
    [runId],
  );
  expect(stored).toEqual({ open: 20_000 });
  await begin(ledger, tenant, manyCases({ suites: 1, casesPerSuite: 999 }));
  expect(await ledger.query('select name from test_cases where deleted_at is not null')).toEqual([
    { name: 'case 999' },
  ]);
});

it('a claim of 16 chunks reads about as many rows, however large their suite is', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 1 }));
  const sessionId = await newSession(ledger);
  const chunks = await ledger.query<{ tenantId: string; chunkId: string }>(
    `select tenant_id as "tenantId", id as "chunkId" from chunks where run_id = $1 limit 16`,
    [runId],
  );
  const before = await rowsRead(ledger, ['chunks']);
  const [claimed] = await claimChunks(ledger.database, [{ sessionId, claimId: randomUUID(), chunks }]);
  expect(claimed).toHaveLength(16);
  expect((await rowsRead(ledger, ['chunks'])) - before).toBeLessThan(200);
});

it('a result reads none of the others, also where all was planned before there was one', patient, async () => {
  await using young = await openLedger(inject('postgresUrl'), 1);
  const runId = await begin(young, await newTenant(young), manyCases({ casesPerSuite: 400 }));
  const results = (await claimAll(young, runId, await newSession(young))).map((one) => resultOf(one));
  const batches = Array.from({ length: 20 }, (_, index) => results.slice(index * 20, index * 20 + 20));
  const before = await rowsRead(young, ['test_case_results']);
  for (const batch of batches) expect(await recordResults(young.database, batch)).toMatchObject({ recorded: 20 });
  expect((await rowsRead(young, ['test_case_results'])) - before).toBeLessThan(400);
});

it('what is asked for each batch is planned once, however large the batches are', patient, async () => {
  await using young = await openLedger(inject('postgresUrl'), 1);
  const runId = await begin(young, await newTenant(young), manyCases({ casesPerSuite: 400 }));
  const tasks = await takeUnpublished(young.database, { pool: 'default', limit: 64 });
  for (let size = 1; size <= 20; size += 1) await markPublished(young.database, tasks.slice(0, size));
  const results = (await claimAll(young, runId, await newSession(young))).map((one) => resultOf(one));
  for (let size = 1; size <= 20; size += 1) await recordResults(young.database, results.splice(0, size));
  const plans = await asWorker(young.database, (em) =>
    em.execute<{ statement: string; own: string }[]>(
      `select left(regexp_replace(statement, '\\s+', ' ', 'g'), 60) as statement, custom_plans::text as own
       from pg_prepared_statements where generic_plans + custom_plans > 10`,
    ),
  );
  // Postgres makes five plans for what it was given before it tries one for all.
  expect(plans.filter(({ own }) => own !== '5')).toEqual([]);
  expect(plans).toHaveLength(4);
});

it('what comes back is read by its keys, also with statistics of before the run', patient, async () => {
  await using young = await openLedger(inject('postgresUrl'), 1);
  const other = await newTenant(young);
  await begin(young, other, manyCases({ casesPerSuite: 3 }));
  await young.query('analyze');
  const runId = await begin(young, other, manyCases({ casesPerSuite: 1_500 }));
  const leased = await claimAll(young, runId, await newSession(young));
  const firstOfEach = [...Map.groupBy(leased, ({ chunkId }) => chunkId).values()].map(([first]) => given(first));
  for (let at = 0; at < firstOfEach.length; at += 100)
    await recordResults(
      young.database,
      firstOfEach.slice(at, at + 100).map((one) => resultOf(one)),
    );
  await young.query(`update runner_sessions set lease_until = now() - interval '1 second'`);
  await reapSessions(young.database);
  const read = () => rowsRead(young, ['planned_test_runs', 'work_contents']);
  const before = await read();
  const tasks = await takeUnpublished(young.database, { pool: 'default', limit: 64 });
  const testRuns = tasks.filter((task) => task.runId === runId).flatMap(({ payload }) => payload.match(/"testRunId"/g));
  expect(testRuns.length).toBeGreaterThan(20);
  // A planned row, its setting and its case.
  expect((await read()) - before).toBeLessThan(10 * testRuns.length);
});

it('the broker holds more of a run when runners take it faster than they are asked for it', patient, async () => {
  await using young = await openLedger(inject('postgresUrl'), 1);
  await begin(young, await newTenant(young), manyCases({ casesPerSuite: 400 }));
  const held = async (pace: number): Promise<number> => {
    const tasks = await takeUnpublished(young.database, { pool: 'default', limit: 256, pace });
    return tasks.reduce((sum, { testRuns }) => sum + testRuns, 0);
  };
  // Nobody is connected: the least that is held at all. The last chunk may stand out.
  const usual = await held(0);
  expect(usual).toBeGreaterThanOrEqual(32);
  expect(await held(10)).toBe(usual);
  expect(await held(3 * usual)).toBeGreaterThanOrEqual(3 * usual);
  expect(await held(3 * usual)).toBeLessThan(4 * usual);
});

it('a cancelled run is cancelled at once, and its rows follow in batches', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 5 }));
  const [leased] = await claimSome(runId, 1);
  expect(await cancelRun(ledger.database, tenant.caller, runId)).toMatchObject({
    run: { status: 'cancelled', changed: true },
  });
  expect((await suiteRunsOf(runId)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'cancelled'));
  const waiting = await queuedOf(runId, 16);
  expect(waiting).toHaveLength(16);
  expect(await claimSome(runId, 16)).toEqual([]);
  const next = await takeUnpublished(ledger.database, { pool: 'default', limit: 256 });
  expect(next.filter((task) => task.runId === runId)).toEqual([]);
  expect(await recordResults(ledger.database, [resultOf(given(leased))])).toMatchObject({ recorded: 0, late: 1 });

  expect(await closeOverdue(ledger.database)).toEqual([]);
  expect(await suiteRunsOf(runId)).toMatchObject(Array.from({ length: 5 }, () => ({ skipped: 1_000 })));
  expect(await largestWrite(runId)).toBeLessThanOrEqual(2_000);
  expect(await miscounted(ledger)).toEqual([]);
});

it('a run past its deadline is closed in batches, and judged when the last of them is through', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 3 }));
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  expect((await closeOverdue(ledger.database)).map((one) => one.runId)).toEqual([runId, runId, runId]);
  const ended = { status: 'failed', reason: 'deadline', ended: 1_000, errored: 1_000 };
  expect(await suiteRunsOf(runId)).toMatchObject([ended, ended, ended]);
  expect(await largestWrite(runId)).toBeLessThanOrEqual(2_000);
});

it('a run that has spent its budget is closed in batches', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 3 }, { settings: { budgetTokens: 10 } }));
  await recordResults(
    ledger.database,
    (await claimSome(runId, 2)).map((one) => resultOf(one)),
  );
  expect((await enforceBudgets(ledger.database)).map((one) => one.runId)).toEqual([runId, runId, runId]);
  expect((await suiteRunsOf(runId)).map(({ status, ended }) => [status, ended])).toEqual(
    Array.from({ length: 3 }, () => ['completed', 1_000]),
  );
  expect(await largestWrite(runId)).toBeLessThanOrEqual(2_000);
});

it('a coordinator that dies between two batches leaves nothing open: the next pass goes on', patient, async () => {
  const runId = await begin(ledger, tenant, manyCases({ suites: 3 }));
  await cancelRun(ledger.database, tenant.caller, runId);
  const left = (await queuedOf(runId, 5_000)).length;
  expect([left > 0, left < 3_000]).toEqual([true, true]);
  await closeOverdue(ledger.database);
  expect(await queuedOf(runId, 5_000)).toEqual([]);
  expect(await ledger.query('select 1 from test_suite_runs where unwritten_cases > 0')).toEqual([]);
});

it('the same start, repeated while the first is at work, joins it and costs nothing', patient, async () => {
  await newRepository(ledger, tenant, '5');
  const sha = (letter: string) => letter.repeat(40);
  let asked = 0;
  const allAsk = Promise.withResolvers<null>();
  const forge = {
    mergeBase: () => {
      asked += 1;
      return allAsk.promise;
    },
    ancestors: async () => null,
  };
  const pullRequest = { event: 'pull_request', pullRequest: 12, headSha: sha('a'), baseSha: sha('b') };
  const trigger = { triggeredBy: 'ci', host: 'github.com', repositoryExternalId: '77', ...pullRequest } as const;
  const input = anInput({ trigger });
  const start = () => startRun({ ...portsOf(ledger), forge }, tenant.caller, input);
  const first = start();
  await waitUntil(() => asked === 1, { what: 'the first start asks the forge' });
  const others = [start(), start()];
  allAsk.resolve(null);
  const answer = await first;
  expect(answer).toMatchObject({ ok: true, created: true });
  expect(await Promise.all(others)).toEqual([
    { ...answer, created: false },
    { ...answer, created: false },
  ]);
  expect(asked).toBe(1);
});
