import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { parseJson } from '@proofmark/contracts/parse-json';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { RESULTS_STREAM, resultSubject, rpcSubject } from '@proofmark/contracts/subjects';
import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { brokerOptions } from '@proofmark/process/broker-login';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
let connection: NatsConnection;
const seen: { subject: string; message: ResultMessage }[] = [];

beforeAll(async () => {
  running = await startRunningProduct({ runners: 1 });
  connection = await connect(brokerOptions({ NATS_URL: running.nats.url }));
  connection.subscribe('pm.res.>', {
    callback: (_error, message) => {
      // What this test sends itself may be no message at all.
      const parsed = ResultMessage.safeParse(parseJson(message.string()));
      if (parsed.success) seen.push({ subject: message.subject, message: parsed.data });
    },
  });
  await connection.flush();
});
afterAll(async () => {
  await connection?.close();
  await running?.[Symbol.asyncDispose]();
});

const anOutcome = CaseOutcome.parse({
  ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: '', response: '17' },
  ...{ executionTimeMs: 1, startedAt: '2026-01-31T12:00:00.000Z' },
});

const send = async (subject: string, payload: unknown) =>
  void (await jetstream(connection).publish(subject, typeof payload === 'string' ? payload : JSON.stringify(payload)));

const results = (runId: string) =>
  running.rows(
    `select c.id, c.status, c.attempt, c.actual_response, c.created_at from test_case_results c
     join test_suite_runs s on s.id = c.run_id where s.run_id = $1 order by c.id`,
    [runId],
  );

/** Everything that was sent before this has been handled when it is put aside. */
async function whenHandled(reason: string): Promise<void> {
  await send('pm.res.nobody.nothing', 'a marker that is no JSON');
  await waitUntil(
    async () => (await running.rows('select 1 from dead_letters where reason = $1', [reason])).length > 0,
    { what: `a message was put aside: ${reason}` },
  );
}

/** Messages that the broker would still deliver, now or again. */
async function undelivered(): Promise<number> {
  const jsm = await jetstreamManager(connection);
  return (await jsm.streams.info(RESULTS_STREAM)).state.messages;
}

/** What tests before have sent is handled, and forgotten. */
async function forgetDeadLetters(): Promise<void> {
  await waitUntil(async () => (await undelivered()) === 0, { what: 'everything sent before is handled' });
  await running.rows('delete from dead_letters');
}

async function finishedRun(cases: number) {
  seen.length = 0;
  const runId = await running.start(modelSuite({ cases }));
  await running.waitForEnd(runId);
  const sent = seen.filter(({ message }) => message.runId === runId);
  expect(sent.length).toBeGreaterThan(0);
  return { runId, sent, before: await results(runId) };
}

test('F31 S0-124 C24 a result that comes again changes nothing, however often and however late', async () => {
  const { runId, sent, before } = await finishedRun(6);
  for (const { subject, message } of [...sent, ...sent.toReversed(), ...sent]) {
    const changed = message.results.map((result) => ({
      ...result,
      outcome: { ...result.outcome, status: 'failed' as const, response: 'changed' },
    }));
    await send(subject, { ...message, results: changed });
  }
  await whenHandled('not JSON');
  expect(await results(runId)).toEqual(before);
  await expectSoundLedger(running.rows, runId);
});

test('S-N2 a runner cannot speak for the session of another, and nothing is stored', async () => {
  const { runId, sent, before } = await finishedRun(2);
  for (const { message } of sent) await send(resultSubject('somebody-else', runId), message);
  await whenHandled('the session belongs to another runner');
  expect(await results(runId)).toEqual(before);
});

test.each([
  ['has a wrong shape', { status: 'splendid' }, 'wrong shape'],
  ['the ledger does not take', { startedAt: '0000-01-01T00:00:00.000Z' }, 'cannot be stored'],
])('P4 a result that %s ends its test run in an error, and is put aside once', async (_what, change, reason) => {
  await forgetDeadLetters();
  running.model.hold();
  const runId = await running.start(modelSuite());
  await running.model.whenInFlight(1);
  const [lease] = await running.rows<Record<'tenantId' | 'sessionId' | 'chunkId' | 'runner', string>>(
    `select l.tenant_id as "tenantId", l.id as "chunkId",
       l.session_id as "sessionId", s.runner_id as runner
     from chunks l join runner_sessions s on s.id = l.session_id where l.run_id = $1`,
    [runId],
  );
  if (lease === undefined) throw new Error('nothing was leased');
  const { tenantId, sessionId, runner, chunkId } = lease;
  const results = [{ chunkId, at: 0, attempt: 1, outcome: { ...anOutcome, ...change } }];
  await send(resultSubject(runner, runId), {
    v: PROTOCOL_VERSION,
    kind: 'results',
    tenantId,
    runId,
    sessionId,
    results,
  });
  const ended = await running.waitForEnd(runId);
  running.model.release();
  expect(ended.results).toMatchObject([{ status: 'error', errorKind: 'lost', attempt: 1 }]);
  await waitUntil(async () => (await undelivered()) === 0, { what: 'the broker has forgotten the message' });
  expect(await deadLetters()).toEqual([{ reason: expect.stringContaining(reason) }]);
});

const forgedReason = 'the runner does not hold the attempt';
const deadLetters = () => running.rows<{ reason: string }>('select reason from dead_letters');
const alarms = () => running.product.coordinator.log().split('"security":true').length - 1;

test('N4 a result of an attempt that nobody was given is put aside with an alarm, and what it claims to have cost is not noted', async () => {
  const { runId, sent, before } = await finishedRun(1);
  const [first] = sent;
  if (first === undefined) throw new Error('no result was seen');
  const alarmsBefore = alarms();
  const forged = first.message.results.map((result) => ({
    ...result,
    attempt: 7,
    outcome: { ...result.outcome, usage: { promptTokens: 11, completionTokens: 13 } },
  }));
  await send(first.subject, { ...first.message, results: forged });
  await whenHandled(forgedReason);
  expect(await running.rows('select 1 from attempt_usage where attempt = 7')).toEqual([]);
  expect(await results(runId)).toEqual(before);
  expect(alarms()).toBe(alarmsBefore + 1);
});

test('N4 a runner that speaks for the test run of another ends no run by its budget, and is told of once', async () => {
  await forgetDeadLetters();
  const rogue = 'rogue-runner';
  const hello = { protocol: PROTOCOL_VERSION, version: '0.0.0', pool: 'default', slots: 1 };
  const welcome = await connection.request(rpcSubject(rogue, 'hello'), JSON.stringify(hello));
  const { sessionId } = z.object({ sessionId: z.uuid() }).parse(welcome.json());
  running.model.hold();
  const runId = await running.start({ ...modelSuite(), settings: { budgetUsd: 5 } });
  await running.model.whenInFlight(1);
  const [lease] = await running.rows<{ tenantId: string; chunkId: string; at: number; attempt: number }>(
    `select tenant_id as "tenantId", id as "chunkId", 0 as at, attempt from chunks where run_id = $1`,
    [runId],
  );
  if (lease === undefined) throw new Error('nothing was leased');
  const { tenantId, ...attempt } = lease;
  const outcome = { ...anOutcome, costUsd: 1_000_000 };
  const message = {
    v: PROTOCOL_VERSION,
    kind: 'results',
    tenantId,
    runId,
    sessionId,
    results: [{ ...attempt, outcome }],
  };
  await send(resultSubject(rogue, runId), message);
  await waitUntil(async () => (await undelivered()) === 0, { what: 'the broker has forgotten the message' });
  expect(await deadLetters()).toEqual([{ reason: forgedReason }]);
  expect(await running.rows('select 1 from attempt_usage where session_id = $1', [sessionId])).toEqual([]);
  expect(await running.rows('select 1 from test_case_results where spent_usd > 5')).toEqual([]);
  running.model.release();
  const ended = await running.waitForEnd(runId);
  expect(ended.results).toMatchObject([{ status: 'passed', attempt: 1 }]);
  expect(await fetch(`${running.product.url}/metrics`).then((answer) => answer.text())).toMatch(
    /proofmark_results_total\{outcome="forged"\} [1-9]/,
  );
});

test('a message that nobody can process is put aside once, and the oldest broker we know does not deliver it again', async () => {
  await forgetDeadLetters();
  await send('pm.res.nobody.nothing', 'poison');
  // A message that is not ended stays in the stream until it is delivered again.
  await waitUntil(async () => (await undelivered()) === 0, { what: 'the broker has forgotten the message' });
  expect(await deadLetters()).toEqual([{ reason: 'not JSON' }]);
});

test.each([
  ['of a test run that does not exist', 'unknown test run'],
  ['of another tenant', 'unknown test run'],
])('a result %s is put aside, and the next one is handled', async (what, reason) => {
  const { sent } = await finishedRun(1);
  const [first] = sent;
  if (first === undefined) throw new Error('no result was seen');
  await forgetDeadLetters();
  const stranger = '00000000-0000-4000-8000-000000000000';
  const forged =
    what === 'of another tenant'
      ? { ...first.message, tenantId: stranger }
      : { ...first.message, results: first.message.results.map((result) => ({ ...result, chunkId: stranger })) };
  await send(first.subject, forged);
  await whenHandled(reason);
  const runId = await running.start(modelSuite());
  expect((await running.waitForEnd(runId)).status).toBe('completed');
});
