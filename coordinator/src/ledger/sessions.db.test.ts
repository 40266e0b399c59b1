import { expect, it } from 'vitest';
import {
  anInput,
  begin,
  chunkOf,
  claimAll,
  claimTestRuns,
  given,
  type Leased,
  leases,
  newSession,
  openStory,
  placeOf,
  resultOf,
  suiteFile,
} from '../story.fixture.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';
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

it('answers a heartbeat with what became of each attempt', async () => {
  const runId = await runOf(3);
  const sessionId = await newSession(ledger);
  const [kept, sent, taken] = await claimAll(ledger, runId, sessionId);
  await recordResults(ledger.database, [resultOf(given(sent))]);
  await releaseSession(ledger.database, { sessionId, given: [placeOf(given(taken))], closing: false });
  const held = [kept, taken].map((one) => chunkOf(given(one)));
  const unconfirmed = [kept, sent, taken].map((one) => placeOf(given(one)));
  const answer = await beatSession(ledger.database, { sessionId, held, waiting: [], unconfirmed }, 25_000);
  expect(answer).toMatchObject({
    session: 'open',
    abandoned: [chunkOf(given(taken))],
    confirmations: [
      { ...chunkOf(given(kept)), recorded: [], superseded: [] },
      { ...chunkOf(given(sent)), recorded: [0], superseded: [] },
      { ...chunkOf(given(taken)), recorded: [], superseded: [0] },
    ],
  });
});

it('releases a test run that its session did not name in three heartbeats: the answer to the claim was lost', async () => {
  const runId = await runOf(2);
  const sessionId = await newSession(ledger);
  const [known, lost] = await claimAll(ledger, runId, sessionId);
  const beat = (...held: Leased[]) =>
    beatSession(ledger.database, { sessionId, held: held.map(chunkOf), waiting: [], unconfirmed: [] }, 25_000);
  const state = async () =>
    (
      await ledger.query(`select state, crash_count, missed_beats from ${leases} l where test_run_id = $1`, [
        given(lost).testRunId,
      ])
    )[0];
  await beat(given(known));
  await beat(given(known), given(lost));
  expect(await state()).toEqual({ state: 'leased', crash_count: 0, missed_beats: 0 });
  for (let index = 0; index < 3; index++) await beat(given(known));
  expect(await state()).toMatchObject({ state: 'queued', crash_count: 0 });
});

it('tells an expired session that it is one', async () => {
  const sessionId = await newSession(ledger);
  await expire(sessionId);
  await reapSessions(ledger.database);
  expect(await beatSession(ledger.database, { sessionId, held: [], waiting: [], unconfirmed: [] }, 25_000)).toEqual({
    session: 'expired',
  });
});

it('counts no crash when a runner closes, and gives the next attempt the next number', async () => {
  const runId = await runOf(1);
  const sessionId = await newSession(ledger);
  await claimAll(ledger, runId, sessionId);
  expect(await releaseSession(ledger.database, { sessionId, given: [], closing: true })).toEqual({
    released: 1,
  });
  expect(await reapSessions(ledger.database)).toMatchObject({ expired: 0, requeued: 0 });
  const [again] = await claimAll(ledger, runId, await newSession(ledger));
  expect(given(again).attempt).toBe(2);
  const [lease] = await ledger.query(`select crash_count from ${leases} l where run_id = $1`, [runId]);
  expect(lease).toEqual({ crash_count: 0 });
});

it('leases nothing to a session that has expired', async () => {
  const runId = await runOf(1);
  const sessionId = await newSession(ledger);
  await expire(sessionId);
  expect(await claimAll(ledger, runId, sessionId)).toEqual([]);
});

it('gives up on a test run that took three runners with it, and on no other (P6)', async () => {
  const runId = await runOf(2);
  const healthy = await newSession(ledger);
  const all = await claimAll(ledger, runId, healthy);
  const victim = given(all[0]);
  await releaseSession(ledger.database, { sessionId: healthy, given: [placeOf(victim)], closing: false });
  const solos: boolean[] = [];
  for (let crash = 1; crash <= 3; crash++) {
    const sessionId = await newSession(ledger);
    const claimed = await claimTestRuns(ledger, { sessionId, testRunIds: [victim.testRunId] });
    solos.push(given(claimed[0]).solo);
    await expire(sessionId);
    expect(await reapSessions(ledger.database)).toMatchObject({
      requeued: crash < 3 ? 1 : 0,
      poisoned: crash < 3 ? 0 : 1,
    });
  }
  expect(solos).toEqual([false, false, true]);
  const [row] = await ledger.query('select status, error_kind, attempt from test_case_results where id = $1', [
    victim.testRunId,
  ]);
  expect(row).toEqual({ status: 'error', error_kind: 'lost', attempt: 4 });
  await recordResults(ledger.database, [resultOf(given(all[1]))]);
  expect(await suiteRunOf(runId)).toMatchObject({ status: 'completed', passed: 1, failed: 1, errored: 1 });
});

it('accepts a result of a session past its time that no reaper has seen yet', async () => {
  const runId = await runOf(1);
  const sessionId = await newSession(ledger);
  const [leased] = await claimAll(ledger, runId, sessionId);
  await expire(sessionId);
  expect(await recordResults(ledger.database, [resultOf(given(leased))])).toMatchObject({ recorded: 1 });
});
