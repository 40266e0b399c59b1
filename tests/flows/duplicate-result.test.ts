import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { brokerOptions } from '@proofmark/contracts/broker-login';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { resultSubject } from '@proofmark/contracts/subjects';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

test('P5 a result of an attempt that is void is refused, and what it spent is noted', async () => {
  const { runId, sent, before } = await finishedRun(1);
  const [first] = sent;
  if (first === undefined) throw new Error('no result was seen');
  const zombie = first.message.results.map((result) => ({
    ...result,
    attempt: 7,
    outcome: { ...result.outcome, usage: { promptTokens: 11, completionTokens: 13 } },
  }));
  await send(first.subject, { ...first.message, results: zombie });
  const usage = () =>
    running.rows('select prompt_tokens, accepted from attempt_usage where test_run_id = $1 and attempt = 7', [
      zombie[0]?.testRunId,
    ]);
  await waitUntil(async () => (await usage()).length > 0, { what: 'the usage of the void attempt was noted' });
  expect(await usage()).toEqual([{ prompt_tokens: 11, accepted: false }]);
  expect(await results(runId)).toEqual(before);
});

test.each([
  ['of a test run that does not exist', 'unknown test run'],
  ['of another tenant', 'unknown test run'],
])('a result %s is put aside, and the next one is handled', async (what, reason) => {
  const { sent } = await finishedRun(1);
  const [first] = sent;
  if (first === undefined) throw new Error('no result was seen');
  await running.rows('delete from dead_letters');
  const stranger = '00000000-0000-4000-8000-000000000000';
  const forged =
    what === 'of another tenant'
      ? { ...first.message, tenantId: stranger }
      : { ...first.message, results: first.message.results.map((result) => ({ ...result, testRunId: stranger })) };
  await send(first.subject, forged);
  await whenHandled(reason);
  const runId = await running.start(modelSuite());
  expect((await running.waitForEnd(runId)).status).toBe('completed');
});
