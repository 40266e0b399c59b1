import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  anInput,
  anOutcome,
  begin,
  chunkOf,
  claimAll,
  claimTestRuns,
  given,
  type Leased,
  leases,
  newSession,
  newTenant,
  openStory,
  placeOf,
  resultOf,
  suiteFile,
} from '../story.fixture.ts';
import { cancelRun, cancelRunFor } from './cancel-run.ts';
import { closeOverdue } from './close-overdue.ts';
import { enforceBudgets } from './enforce-budgets.ts';
import { finaliseForgotten } from './finalise-forgotten.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordMessages, recordResults } from './record-results.ts';
import { beatSession, releaseSession } from './sessions.ts';

const { ledger, tenant } = await openStory();

const runOf = (cases: number) => {
  const path = 'a.suite.yaml';
  return begin(ledger, tenant, anInput({ files: [{ path, text: suiteFile({ cases }) }], suitePaths: [path] }));
};

const suiteRunOf = async (runId: string) =>
  given(
    (
      await ledger.query(
        `select status, total_cases as total, passed_cases as passed, failed_cases as failed, errored_cases as errored,
           skipped_cases as skipped, failure_reason as reason from test_suite_runs where run_id = $1`,
        [runId],
      )
    )[0],
  );

const expire = (sessionId: string) =>
  ledger.query(`update runner_sessions set lease_until = now() - interval '1 second' where id = $1`, [sessionId]);

it('leases a queued test run to one session and gives the same answer to the same claim', async () => {
  const runId = await runOf(2);
  const [first, second] = [await newSession(ledger), await newSession(ledger)];
  const testRunIds = (
    await ledger.query<{ id: string }>(`select test_run_id as id from ${leases} l where run_id = $1`, [runId])
  ).map(({ id }) => id);
  const claim = { sessionId: first, claimId: randomUUID(), testRunIds };
  const answer = await claimTestRuns(ledger, claim);
  expect(answer.map(({ attempt, solo }) => ({ attempt, solo }))).toEqual([
    { attempt: 1, solo: false },
    { attempt: 1, solo: false },
  ]);
  expect(await claimTestRuns(ledger, claim)).toEqual(answer);
  expect(await claimTestRuns(ledger, { sessionId: second, testRunIds })).toEqual([]);
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'running' });
});

it('records what the attempt on record sends, and completes the suite run with the last result (S2-48, S2-49, S2-51, S2-52, C07, C08)', async () => {
  const runId = await runOf(3);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const outcomes = [
    anOutcome(),
    anOutcome({ status: 'failed' }),
    anOutcome({ status: 'error', errorKind: 'timeout', errorMessage: 'Timeout after 30000ms', response: null }),
  ];
  const messages = leased.map((one, index) => resultOf(one, given(outcomes[index])));
  const answer = await recordResults(ledger.database, messages);
  expect(answer).toMatchObject({
    recorded: 3,
    late: 0,
    refused: [],
    touchedRuns: [{ tenantId: tenant.id, id: runId }],
  });
  expect(answer.finishedSuiteRuns).toHaveLength(1);
  expect(await suiteRunOf(runId)).toEqual({
    status: 'completed',
    total: 3,
    passed: 1,
    failed: 2,
    errored: 1,
    skipped: 0,
    reason: null,
  });
  const jobs = await ledger.query('select kind, state from outbox where run_id = $1', [runId]);
  expect(jobs).toEqual([{ kind: 'finish-suite-run', state: 'due' }]);
});

it('stores the whole result and what is needed to repeat it (S2-64, S2-65, S2-69, S2-70, S2-71, S2-72, S4-61, P11)', async () => {
  const runId = await runOf(1);
  const [plan] = await ledger.query(`select work, resolved_variables from ${leases} l where run_id = $1`, [runId]);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  const checks = [
    {
      checkIndex: 0,
      checkType: 'contains_phrases',
      status: 'fail' as const,
      passed: false,
      details: { matchedPhrases: [], missingPhrases: ['Yes'] },
      error: null,
    },
  ];
  const transcript = [{ role: 'user' as const, text: 'question 1' }];
  await recordResults(ledger.database, [
    resultOf(given(leased), anOutcome({ status: 'failed', checks, transcript, response: 'no' })),
  ]);
  const [row] = await ledger.query(
    `select c.status, c.actual_response, c.check_results, c.duration_ms, c.latency_ms, c.cost_usd, c.prompt_tokens, c.case_name,
       c.attempt, c.resolved_variables, c.started_at, l.work, c.payload as outcome
     from test_case_results c join ${leases} l on l.test_run_id = c.id join test_suite_runs r on r.id = c.run_id where r.run_id = $1`,
    [runId],
  );
  expect(row).toEqual({
    status: 'failed',
    actual_response: 'no',
    check_results: checks,
    duration_ms: 13,
    latency_ms: 12.5,
    cost_usd: 0.001,
    prompt_tokens: 10,
    case_name: 'case 1',
    attempt: 1,
    started_at: new Date('2026-01-31T12:00:00.000Z'),
    outcome: {
      files: [],
      transcript,
      tools: { matched: null, problems: [] },
      usage: { promptTokens: 10, completionTokens: 2 },
      flags: [],
      metricDetails: [],
      outcomes: null,
    },
    ...plan,
  });
});

it('stores text that Postgres cannot hold with a replacement character', async () => {
  const runId = await runOf(1);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased), anOutcome({ response: 'a\0b\ud800', flags: ['\0'] }))]);
  const [row] = await ledger.query('select actual_response from test_case_results where id = $1', [
    given(leased).testRunId,
  ]);
  expect(row).toEqual({ actual_response: 'a\u{FFFD}b\u{FFFD}' });
});

it('changes nothing when a result comes twice, in one batch or in two (S2-78, C24, P3)', async () => {
  const runId = await runOf(2);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  const message = resultOf(given(leased));
  expect(await recordResults(ledger.database, [message, message])).toMatchObject({ recorded: 1, late: 1 });
  expect(await recordResults(ledger.database, [message])).toMatchObject({ recorded: 0, late: 1, touchedRuns: [] });
  expect(await suiteRunOf(runId)).toMatchObject({ passed: 1, status: 'running' });
  // What it spent stands in its row, once.
  expect(await ledger.query('select 1 from attempt_usage where test_run_id = $1', [given(leased).testRunId])).toEqual(
    [],
  );
  const [spent] = await ledger.query('select spent_tokens::int as tokens from test_suite_runs where run_id = $1', [
    runId,
  ]);
  expect(spent).toEqual({ tokens: 12 });
});

it('refuses the result of an attempt that was given to another session, and notes what it cost (P5)', async () => {
  const runId = await runOf(1);
  const [zombie, healthy] = [await newSession(ledger), await newSession(ledger)];
  const [lost] = await claimAll(ledger, runId, zombie);
  await expire(zombie);
  await reapSessions(ledger.database);
  const [second] = await claimAll(ledger, runId, healthy);
  expect(given(second).attempt).toBe(2);
  expect(await recordResults(ledger.database, [resultOf(given(lost), anOutcome({ status: 'failed' }))])).toMatchObject({
    recorded: 0,
    late: 1,
  });
  expect(await recordResults(ledger.database, [resultOf(given(second))])).toMatchObject({ recorded: 1 });
  expect(await recordResults(ledger.database, [resultOf(given(lost), anOutcome({ status: 'failed' }))])).toMatchObject({
    recorded: 0,
    late: 1,
  });
  const usage = await ledger.query('select attempt from attempt_usage where test_run_id = $1', [given(lost).testRunId]);
  expect(usage).toEqual([{ attempt: 1 }]);
  const [spent] = await ledger.query('select spent_tokens::int as tokens from test_suite_runs where run_id = $1', [
    runId,
  ]);
  expect(spent).toEqual({ tokens: 24 });
  expect(await suiteRunOf(runId)).toMatchObject({ passed: 1, failed: 0, status: 'completed' });
});

it('refuses a forged result: of another session, another tenant, another run or an unknown test run', async () => {
  const runId = await runOf(1);
  const otherRun = await runOf(1);
  const stranger = await newTenant(ledger);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  const genuine = given(leased);
  const forged = [
    resultOf({ ...genuine, sessionId: await newSession(ledger) }),
    resultOf({ ...genuine, attempt: 2 }),
    resultOf({ ...genuine, tenantId: stranger.id }),
    resultOf({ ...genuine, runId: otherRun }),
    resultOf({ ...genuine, chunkId: randomUUID() }),
    resultOf({ ...genuine, at: 63 }),
  ];
  for (const [index, message] of forged.entries()) {
    const answer = await recordResults(ledger.database, [message]);
    expect(answer).toMatchObject({
      recorded: 0,
      late: 0,
      refused: [{ message: 0, at: given(message.results[0]).at, why: index < 2 ? 'forged' : 'unknown' }],
    });
  }
  const together = await recordResults(ledger.database, [...forged, resultOf(genuine)]);
  expect(together).toMatchObject({ recorded: 1, late: 0 });
  expect(new Set(together.refused.map(({ message }) => message))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
});

it.each([
  ['a stranger', 0],
  ['an earlier holder', 1],
])('N4 a result that %s sends for the attempt of another costs nobody anything', async (who, crashes) => {
  const runId = await begin(ledger, tenant, anInput({ settings: { budgetUsd: 5 } }));
  const [holder, other] = [await newSession(ledger), await newSession(ledger, 25_000, 'runner-2')];
  for (let crash = 0; crash < crashes; crash += 1) {
    await claimAll(ledger, runId, other);
    await releaseSession(ledger.database, { sessionId: other, given: [], closing: true });
    await reapSessions(ledger.database);
  }
  const [leased, ...rest] = await claimAll(ledger, runId, holder);
  const dear = anOutcome({ costUsd: 1_000_000, usage: { promptTokens: 1_000_000, completionTokens: 0 } });
  const answer = await recordResults(ledger.database, [resultOf({ ...given(leased), sessionId: other }, dear)]);
  expect(answer).toMatchObject({ recorded: 0, late: 0, refused: [{ why: 'forged' }] });
  expect(await enforceBudgets(ledger.database)).toEqual([]);
  const usage = await ledger.query('select 1 from attempt_usage where test_run_id = $1', [given(leased).testRunId]);
  expect({ who, usage }).toEqual({ who, usage: [] });
  const honest = [given(leased), ...rest].map((one) => resultOf(one));
  expect(await recordResults(ledger.database, honest)).toMatchObject({ recorded: 3, refused: [] });
});

it('a result counts as late, with what it cost, in whichever way the sender has lost its attempt', async () => {
  const runId = await runOf(3);
  const session = await newSession(ledger);
  const [beaten, released, reaped] = await claimAll(ledger, runId, session);
  const beat = (...held: Leased[]) =>
    beatSession(ledger.database, { sessionId: session, held: held.map(chunkOf), waiting: [], unconfirmed: [] }, 25_000);
  for (let missed = 0; missed < 3; missed += 1) await beat(given(released), given(reaped));
  const back = { sessionId: session, given: [placeOf(given(released))], closing: false };
  expect(await releaseSession(ledger.database, back)).toEqual({ released: 1 });
  await expire(session);
  await reapSessions(ledger.database);
  const late = [beaten, released, reaped].map((one) => resultOf(given(one)));
  expect(await recordResults(ledger.database, late)).toMatchObject({ recorded: 0, late: 3, refused: [] });
  const usage = await ledger.query(
    'select u.attempt from attempt_usage u join planned_test_runs l on l.test_run_id = u.test_run_id where l.run_id = $1',
    [runId],
  );
  expect(usage).toEqual([{ attempt: 1 }, { attempt: 1 }, { attempt: 1 }]);
});

it('skips what is open when a run is cancelled, and refuses every later result (P7)', async () => {
  const runId = await runOf(3);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);
  expect(await cancelRun(ledger.database, tenant.caller, runId)).toEqual({
    ok: true,
    run: { id: runId, status: 'cancelled', changed: true },
  });
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'cancelled', passed: 1, skipped: 2 });
  expect(await recordResults(ledger.database, [resultOf(given(leased[1]))])).toMatchObject({ recorded: 0, late: 1 });
  const skipped = await ledger.query(`select distinct skip_reason from test_case_results where status = 'skipped'`);
  expect(skipped).toEqual([{ skip_reason: 'cancelled' }]);
  expect(await cancelRun(ledger.database, tenant.caller, runId)).toEqual({
    ok: true,
    run: { id: runId, status: 'cancelled', changed: false },
  });
});

it('says the same about a run of another tenant as about one that does not exist (R9)', async () => {
  const runId = await runOf(1);
  const stranger = await newTenant(ledger);
  const unknown = { ok: false, error: { code: 'NOT_FOUND' } };
  expect(await cancelRun(ledger.database, stranger.caller, runId)).toEqual(unknown);
  expect(await cancelRun(ledger.database, stranger.caller, randomUUID())).toEqual(unknown);
  expect(await cancelRun(ledger.database, { ...tenant.caller, scopes: new Set(['runs:read']) }, runId)).toEqual({
    ok: false,
    error: { code: 'FORBIDDEN' },
  });
});

it('reads a message again when its transaction has lost against another, and records it as it came', async () => {
  const runId = await runOf(3);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await ledger.query('create sequence tries');
  await ledger.query('grant usage on sequence tries to proofmark_worker');
  await ledger.query(`create function lose_once() returns trigger language plpgsql as $$ begin
    if nextval('tries') <= 1 then raise exception 'lost' using errcode = 'serialization_failure'; end if;
    return null;
  end $$`);
  await ledger.query('create trigger lose after insert on test_case_results execute function lose_once()');
  const reads = leased.map(() => 0);
  const messages = leased.map((one, at) => ({
    count: 1,
    read: () => {
      reads[at] = (reads[at] ?? 0) + 1;
      return resultOf(one, anOutcome({ response: `answer ${at}` }));
    },
  }));
  try {
    expect(await recordMessages(ledger.database, messages)).toMatchObject({ recorded: 3, late: 0, refused: [] });
  } finally {
    await ledger.query('drop trigger lose on test_case_results');
  }
  expect(reads).toEqual([2, 2, 2]);
  const stored = await ledger.query(
    'select actual_response as said from test_case_results where run_id in (select id from test_suite_runs where run_id = $1) order by 1',
    [runId],
  );
  expect(stored.map(({ said }) => said)).toEqual(['answer 0', 'answer 1', 'answer 2']);
});

it('records many messages in batches, and says of each that is refused which it was', async () => {
  const runId = await runOf(600);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const groups = Array.from({ length: 12 }, (_, at) => leased.slice(at * 50, at * 50 + 50));
  const messages = groups.map((group) => ({
    ...resultOf(given(group[0])),
    results: group.flatMap((one) => resultOf(one).results),
  }));
  const unknown = resultOf({ ...given(leased[0]), chunkId: randomUUID() });
  const done = await recordResults(ledger.database, [...messages, unknown, given(messages[0])]);
  expect(done).toMatchObject({ recorded: 600, late: 50 });
  expect(done.refused.map(({ message, why }) => [message, why])).toEqual([[12, 'unknown']]);
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'completed', passed: 600 });
});

it('ends with one outcome when results and a cancel arrive at the same time', async () => {
  for (let round = 0; round < 10; round++) {
    const runId = await runOf(20);
    const leased = await claimAll(ledger, runId, await newSession(ledger));
    const batches = [leased.slice(0, 10), leased.slice(10)].map((some) =>
      recordResults(
        ledger.database,
        some.map((one) => resultOf(one)),
      ),
    );
    const [cancelled] = await Promise.all([
      cancelRunFor(ledger.database, 'superseded', { tenantId: tenant.id, id: runId }),
      ...batches,
    ]);
    const suiteRun = await suiteRunOf(runId);
    expect(Number(suiteRun.passed) + Number(suiteRun.skipped)).toBe(20);
    expect(cancelled?.status).toBe('cancelled');
    if (suiteRun.status === 'completed') expect(suiteRun.skipped).toBe(0);
  }
});

it('ends a suite run at its deadline with errors, never with failures (P9)', async () => {
  const runId = await runOf(2);
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  expect((await closeOverdue(ledger.database)).map((one) => one.runId)).toEqual([runId]);
  expect(await closeOverdue(ledger.database)).toEqual([]);
  expect(await suiteRunOf(runId)).toMatchObject({
    status: 'failed',
    reason: 'deadline',
    passed: 1,
    failed: 1,
    errored: 1,
  });
});

it('completes a suite run that has nothing open and was forgotten, and reports wrong counters without repairing them', async () => {
  const runId = await runOf(1);
  const [leased] = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased))]);
  await ledger.query(`update test_suite_runs set status = 'running', completed_at = null where run_id = $1`, [runId]);
  expect((await finaliseForgotten(ledger.database)).finishedSuiteRuns.map((one) => one.runId)).toEqual([runId]);
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'completed' });

  await ledger.query('update test_suite_runs set passed_cases = 0 where run_id = $1', [runId]);
  const { miscounted: wrong } = await finaliseForgotten(ledger.database);
  expect(wrong).toHaveLength(1);
  expect(await suiteRunOf(runId)).toMatchObject({ passed: 0 });
  await ledger.query('update test_suite_runs set passed_cases = 1 where run_id = $1', [runId]);
});
