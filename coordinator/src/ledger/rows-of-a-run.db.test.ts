import { expect, it } from 'vitest';
import {
  anInput,
  anOutcome,
  begin,
  claimAll,
  given,
  newSession,
  newTenant,
  ownLedger,
  resultOf,
  suiteFile,
} from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { closeOverdue } from './close-overdue.ts';
import { recordResults } from './record-results.ts';
import { writeEnded } from './write-ended.ts';

const ledger = await ownLedger();
const tenant = await newTenant(ledger);

const path = 'a.suite.yaml';
const runOf = (cases: number, name = 'Support') =>
  begin(ledger, tenant, anInput({ files: [{ path, text: suiteFile({ cases, name }) }], suitePaths: [path] }));
const only = async <Row extends Record<string, unknown>>(sql: string, id: string): Promise<Row> =>
  given((await ledger.query<Row>(sql, [id]))[0]);
const suiteRunOf = (runId: string) =>
  only<{
    id: string;
    suite_id: string;
    started_at: Date | null;
    completed_at: Date | null;
    error_message: string | null;
  }>('select * from test_suite_runs where run_id = $1', runId);

it('has no times while it is pending, one when it runs and both in order when it has ended (S2-52)', async () => {
  const runId = await runOf(2);
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'pending', started_at: null, completed_at: null });
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);
  const running = await suiteRunOf(runId);
  expect(running).toMatchObject({ status: 'running', started_at: expect.any(Date), completed_at: null });
  await recordResults(ledger.database, [resultOf(given(leased[1]))]);
  const ended = await suiteRunOf(runId);
  expect(ended).toMatchObject({ status: 'completed', started_at: running.started_at, error_message: null });
  expect(Number(ended.completed_at)).toBeGreaterThanOrEqual(Number(ended.started_at));
});

it('keeps how long a test run took and why it is an error, and counts what was skipped (S2-50, S2-53, S2-66, S2-67)', async () => {
  const runId = await runOf(3);
  const [passed, broken] = await claimAll(ledger, runId, await newSession(ledger));
  const error = {
    status: 'error',
    errorKind: 'agent',
    errorMessage: 'the model is overloaded',
    response: null,
  } as const;
  await recordResults(ledger.database, [
    resultOf(given(passed), anOutcome({ executionTimeMs: 1234 })),
    resultOf(given(broken), anOutcome({ ...error, executionTimeMs: 7 })),
  ]);
  await cancelRun(ledger.database, tenant.caller, runId);
  await writeEnded(ledger.database);
  expect(await suiteRunOf(runId)).toMatchObject({
    ...{ status: 'cancelled', passed_cases: 1, failed_cases: 1, errored_cases: 1, skipped_cases: 1 },
    error_message: 'It was cancelled (by ci) when 1 of 3 test runs were judged',
  });
  const rows = await ledger.query(
    `select c.status, c.duration_ms, c.error_message from test_case_results c join test_suite_runs s on s.id = c.run_id
     where s.run_id = $1 order by c.sort_order`,
    [runId],
  );
  expect(rows).toEqual([
    { status: 'passed', duration_ms: 1234, error_message: null },
    { status: 'error', duration_ms: 7, error_message: 'the model is overloaded' },
    { status: 'skipped', duration_ms: null, error_message: null },
  ]);
});

it('says why it was aborted when its time was over (S2-53)', async () => {
  const runId = await runOf(2);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  await closeOverdue(ledger.database);
  expect(await suiteRunOf(runId)).toMatchObject({
    status: 'failed',
    error_message: 'Its time was over when 1 of 2 test runs were judged',
  });
});

it.each([
  ['test_suite_runs', 'status', 'done', 'S2-44'],
  ['test_suite_runs', 'triggered_by', 'cron', 'S2-45'],
  ['test_case_results', 'status', 'pending', 'S2-63'],
])('refuses %s whose %s is %j (%s) (S2-44, S2-45, S2-63)', async (table, column, word) => {
  const runId = await runOf(1);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased))]);
  const key = table === 'test_suite_runs' ? 'id' : 'run_id';
  const { id } = await suiteRunOf(runId);
  await expect(ledger.query(`update ${table} set ${column} = $1 where ${key} = $2`, [word, id])).rejects.toMatchObject({
    code: '23514',
  });
});

it.each([
  ['suite run', 'S2-60', 'delete from test_suite_runs where id = $1', ({ id }: { id: string }) => id],
  [
    'suite',
    'S2-42 S2-61',
    'delete from agent_test_suites where id = $1',
    ({ suite_id }: { suite_id: string }) => suite_id,
  ],
])('goes with its %s (%s) (S2-42, S2-60, S2-61)', async (name, _, remove, of) => {
  const runId = await runOf(2, `Removed with its ${name}`);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(
    ledger.database,
    leased.map((one) => resultOf(one)),
  );
  const suiteRun = await suiteRunOf(runId);
  const left = () =>
    only(
      `select (select count(*)::int from test_suite_runs where id = $1) as "suiteRuns",
         (select count(*)::int from test_case_results where run_id = $1) as results`,
      suiteRun.id,
    );
  expect(await left()).toEqual({ suiteRuns: 1, results: 2 });
  await ledger.query(remove, [of(suiteRun)]);
  expect(await left()).toEqual({ suiteRuns: 0, results: 0 });
});

it('loses the results of a case with the case alone (S2-61)', async () => {
  const runId = await runOf(2, 'Loses a case');
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(
    ledger.database,
    leased.map((one) => resultOf(one)),
  );
  const { id, suite_id } = await suiteRunOf(runId);
  await ledger.query(`delete from test_cases where suite_id = $1 and name = 'case 1'`, [suite_id]);
  expect(await ledger.query('select case_name from test_case_results where run_id = $1', [id])).toEqual([
    { case_name: 'case 2' },
  ]);
});
