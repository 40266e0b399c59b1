import { randomUUID } from 'node:crypto';
import { brokerOptions } from '@proofmark/process/broker-login';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import {
  askToStart,
  expectSoundLedger,
  modelSuite,
  type RunningProduct,
  startRunningProduct,
} from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({ runners: 2 });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

test('D-07 D-08 a run goes from the API over the broker to two runners and back into the ledger', async () => {
  const runId = await running.start(modelSuite({ cases: 30, repetitions: 2 }));
  const ended = await running.waitForEnd(runId);
  expect(ended.status).toBe('completed');
  expect(ended.results.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(
    Array.from({ length: 60 }, () => 'passed 1'),
  );
  await expectSoundLedger(running.rows, runId);
  // No case ran twice, and neither runner did everything.
  expect(running.model.requests).toHaveLength(60);
  const [shared] = await running.rows(
    'select count(distinct session_id)::int as runners from chunks where run_id = $1',
    [runId],
  );
  expect(shared).toEqual({ runners: 2 });
});

test('D-11 D-15 C44 S4-32 a test run tells by GraphQL what it was given, what came back and how it was judged', async () => {
  const runId = await running.start(modelSuite());
  await running.waitForEnd(runId);
  const { data, errors } = await running.ask(
    `query ($id: UUID!) { run(id: $id) {
       status verdictWord conclusion totalCases passedCases openCases passRate
       suiteRuns { suiteName agentSnapshot { instructions contentHash } report verdict { title detail }
         testRuns(first: 5) { edges { node { caseName status attempt response resolvedVariables { values sources }
           checks { type passed details } transcript { role text } work } } pageInfo { hasNextPage } } } } }`,
    { id: runId },
  );
  expect(errors).toEqual([]);
  expect(data?.run).toMatchObject({
    status: 'COMPLETED',
    totalCases: 1,
    passedCases: 1,
    openCases: 0,
    passRate: 100,
    suiteRuns: [
      {
        suiteName: 'Opening hours',
        agentSnapshot: { instructions: 'You answer for a shop.' },
        report: { summary: { passed: 1, failed: 0 } },
        testRuns: {
          edges: [
            {
              node: {
                caseName: 'Case 1',
                status: 'PASSED',
                attempt: 1,
                response: 'We open at 9 and close at 17.',
                resolvedVariables: { values: { Temperature: 0.7 }, sources: { Temperature: 'type' } },
                checks: [{ type: 'contains_phrases', passed: true }],
              },
            },
          ],
          pageInfo: { hasNextPage: false },
        },
      },
    ],
  });
});

test('P8 twenty starts with one idempotency key at the same time are one run', async () => {
  const key = randomUUID();
  const suite = modelSuite({ cases: 3 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => askToStart(running.ask, suite, key)));
  const ids = answers.map((answer) => JSON.stringify(Reflect.get(Object(answer), 'run')));
  expect(new Set(ids).size).toBe(1);
  expect(answers.filter((answer) => Reflect.get(Object(answer), 'created') === true)).toHaveLength(1);
  expect(await askToStart(running.ask, modelSuite({ cases: 4 }), key)).toMatchObject({
    __typename: 'IdempotencyConflict',
    code: 'IDEMPOTENCY_CONFLICT',
  });
});

test('a finished run leaves no message in the broker, and no run has a consumer of its own', async () => {
  const runId = await running.start(modelSuite({ cases: 3 }));
  await running.waitForEnd(runId);
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { connect } = await import('@nats-io/transport-node');
  const connection = await connect(brokerOptions({ NATS_URL: running.nats.url }));
  try {
    const jsm = await jetstreamManager(connection);
    await waitUntil(
      async () => {
        const { state } = await jsm.streams.info('PM_WORK_default');
        const names = await Array.fromAsync(jsm.consumers.list('PM_WORK_default'), ({ name }) => name);
        return state.messages === 0 && names.join() === 'runners';
      },
      { what: 'the broker has forgotten the run' },
    );
  } finally {
    await connection.close();
  }
});
