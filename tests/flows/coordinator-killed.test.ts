import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RESULTS_STREAM } from '@proofmark/contracts/subjects';
import { brokerOptions } from '@proofmark/process/broker-login';
import { expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const passedOnce = (count: number) => Array.from({ length: count }, () => 'passed');

async function expectFinishedOnce(running: RunningProduct, runId: string, cases: number): Promise<void> {
  const ended = await running.waitForEnd(runId);
  expect(ended.status).toBe('completed');
  expect(ended.results.map(({ status }) => status)).toEqual(passedOnce(cases));
  await expectSoundLedger(running.rows, runId);
}

test(
  'a coordinator that is killed in the middle of a run goes on where it was, and runners keep what they have',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 2 });
    const { model, product } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 20 }));
    await model.whenInFlight(8);
    await product.coordinator.kill('SIGKILL');
    model.release();
    await product.restartCoordinator();
    await expectFinishedOnce(running, runId, 20);
  },
);

test('results that arrive while no coordinator is there are stored when one comes back', patient, async () => {
  await using running = await startRunningProduct({
    hasShortLeases: true,
    runners: 1,
    coordinatorEnv: { PROOFMARK_LEASE_MS: '30000' },
  });
  const { model, product, rows } = running;
  model.hold();
  const runId = await running.start(modelSuite({ cases: 4 }));
  await model.whenInFlight(4);
  await product.coordinator.kill('SIGKILL');
  model.release();
  await waitUntil(() => model.inFlight() === 0, { what: 'the model has answered' });
  expect(await rows('select 1 from test_case_results')).toEqual([]);
  await product.restartCoordinator();
  await expectFinishedOnce(running, runId, 4);
  expect(await rows('select distinct attempt from test_case_results')).toEqual([{ attempt: 1 }]);
});

test.each([
  ['F01', 'before_run_commit', 'before a run is stored'],
  ['F01', 'after_run_commit', 'between storing a run and publishing it'],
  ['F02', 'after_publish_before_mark', 'between publishing tasks and noting it'],
  ['F03', 'after_insert_before_commit', 'between writing results and committing them'],
  ['F03', 'after_commit_before_ack', 'between storing results and acknowledging them'],
  ['F04', 'before_finalize_commit', 'before a verdict is stored'],
  ['F04', 'after_finalize_commit', 'right after a verdict was stored'],
  ['F08', 'after_claim_commit_before_reply', 'between leasing test runs and saying so'],
])('%s dying at %s, %s, loses and doubles nothing', patient, async (_row, point) => {
  await using running = await startRunningProduct({
    hasShortLeases: true,
    runners: 1,
    coordinatorEnv: { PROOFMARK_CHAOS_AT: point },
  });
  const { product, rows } = running;
  const start = () => running.start(modelSuite({ cases: 6 }), { idempotencyKey: 'the only one' });
  // The answer may be lost with the process: then a caller asks again.
  const started = start().catch(() => undefined);
  expect((await product.coordinator.exited).signal).toBe('SIGKILL');
  const first = await started;
  await product.restartCoordinator({ PROOFMARK_CHAOS_AT: '' });
  const runId = await start();
  expect(first ?? runId).toBe(runId);
  await expectFinishedOnce(running, runId, 6);
  expect(await rows('select id from runs')).toEqual([{ id: runId }]);
});

test('F06 a coordinator that is asked to end ends itself in time with exit code 0', patient, async () => {
  await using running = await startRunningProduct({ hasShortLeases: true, runners: 1 });
  const { model, product } = running;
  model.hold();
  const runId = await running.start(modelSuite({ cases: 6 }));
  await model.whenInFlight(4);
  await product.coordinator.stop(20_000);
  expect(await product.coordinator.exited).toEqual({ code: 0, signal: null });
  model.release();
  await product.restartCoordinator();
  await expectFinishedOnce(running, runId, 6);
});

test(
  'F12 dying right after test runs were taken back from a dead runner loses and doubles nothing',
  patient,
  async () => {
    await using running = await startRunningProduct({
      hasShortLeases: true,
      runners: 1,
      coordinatorEnv: { PROOFMARK_CHAOS_AT: 'after_reap_commit' },
    });
    const { model, product } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 6 }));
    await model.whenInFlight(4);
    await product.runners[0]?.kill('SIGKILL');
    expect((await product.coordinator.exited).signal).toBe('SIGKILL');
    model.release();
    await product.restartCoordinator({ PROOFMARK_CHAOS_AT: '' });
    await product.addRunner();
    await expectFinishedOnce(running, runId, 6);
  },
);

test.each([
  ['after_insert_before_commit', 0],
  ['after_commit_before_ack', 1],
])(
  'L3 dying at %s leaves the results with the broker: they are committed first, then acknowledged',
  patient,
  async (point, stored) => {
    await using running = await startRunningProduct({
      hasShortLeases: true,
      runners: 1,
      coordinatorEnv: { PROOFMARK_CHAOS_AT: point },
    });
    const runId = await running.start(modelSuite({ cases: 1 }));
    expect((await running.product.coordinator.exited).signal).toBe('SIGKILL');
    const connection = await connect(brokerOptions({ NATS_URL: running.nats.url }));
    const { state } = await (await jetstreamManager(connection)).streams.info(RESULTS_STREAM);
    await connection.close();
    expect(state.messages).toBe(1);
    expect(await running.rows('select 1 from test_case_results')).toHaveLength(stored);
    await running.product.restartCoordinator({ PROOFMARK_CHAOS_AT: '' });
    await expectFinishedOnce(running, runId, 1);
  },
);
