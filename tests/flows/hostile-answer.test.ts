import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RESULTS_STREAM } from '@proofmark/contracts/subjects';
import { brokerOptions } from '@proofmark/process/broker-login';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSoundLedger, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

const innocent = 'We open at 9 and close at 17.';
const huge = 'x'.repeat(1_200_000);
/** Each of these characters needs six bytes on its way: more than a message holds. */
const unprintable = `17 ${'\u0001'.repeat(700_000)}`;

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({
    rules: [
      { when: { user: 'close? (1)' }, toolCalls: [{ name: huge, arguments: {} }], reply: innocent },
      { when: { user: 'close? (2)' }, reply: unprintable },
      { reply: innocent },
    ],
  });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

test('F32 P4 hostile answers among 50 innocent ones stop nobody: all results are recorded', async () => {
  const runId = await running.start(modelSuite({ cases: 52 }));
  const ended = await running.waitForEnd(runId);

  expect(ended.status).toBe('completed');
  const [named, ...others] = ended.results.map(({ status, errorKind, attempt }) => ({ status, errorKind, attempt }));
  // Its name alone is worth more tokens than a test run may use.
  expect(named).toEqual({ status: 'error', errorKind: 'limit', attempt: 1 });
  expect(others).toEqual(Array(51).fill({ status: 'passed', errorKind: null, attempt: 1 }));
  await expectSoundLedger(running.rows, runId);
  const [call] = await running.rows<{ length: number }>(
    `select length(c.tool_calls -> 0 ->> 'name') from test_case_results c
     join test_suite_runs s on s.id = c.run_id where s.run_id = $1 and c.case_name = 'Case 1'`,
    [runId],
  );
  expect(call).toEqual({ length: 256 });
  expect(await running.rows('select 1 from dead_letters')).toEqual([]);
});

test('F32 a broker that takes smaller messages than it says gets a smaller result, with the same verdict', async () => {
  const connection = await connect(brokerOptions({ NATS_URL: running.nats.url }));
  const jsm = await jetstreamManager(connection);
  await jsm.streams.update(RESULTS_STREAM, { max_msg_size: 40_000 });
  await connection.close();

  const runId = await running.start(modelSuite({ cases: 10 }));
  const ended = await running.waitForEnd(runId);

  const stored = await running.rows<{ name: string; length: number }>(
    `select c.case_name as name, length(c.actual_response) from test_case_results c
     join test_suite_runs s on s.id = c.run_id where s.run_id = $1 and c.case_name = 'Case 2'`,
    [runId],
  );
  expect(stored).toEqual([{ name: 'Case 2', length: 1_000 }]);
  expect(ended.results.slice(1).map(({ status }) => status)).toEqual(Array(9).fill('passed'));
});
