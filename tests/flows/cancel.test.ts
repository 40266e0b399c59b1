import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { aMoment, expectSoundLedger, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({ runners: 1 });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const cancelText = `mutation ($id: UUID!) { cancelRun(id: $id) {
  __typename ... on CancelRunSuccess { changed run { status skippedCases openCases } } ... on UserError { code } } }`;

test('P7 a cancelled run ends at once, its calls are aborted, and no new one begins', async () => {
  const { model, rows } = running;
  model.hold();
  const runId = await running.start(modelSuite({ cases: 40 }));
  await model.whenInFlight(4);
  const { data } = await running.ask(cancelText, { id: runId });
  expect(data?.cancelRun).toEqual({
    __typename: 'CancelRunSuccess',
    changed: true,
    run: { status: 'CANCELLED', skippedCases: 40, openCases: 0 },
  });

  await waitUntil(() => model.inFlight() === 0, { what: 'the calls in flight were aborted', timeoutMs: 5000 });
  const calls = model.requests.length;
  model.release();
  await aMoment(1000);
  expect(model.requests.length).toBe(calls);

  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 'skipped'));
  await expectSoundLedger(rows, runId);

  const told = await running.ask('query ($id: UUID!) { run(id: $id) { suiteRuns { errorMessage } } }', { id: runId });
  expect(told.data?.run).toEqual({
    suiteRuns: [{ errorMessage: 'It was cancelled (by bootstrap) when 0 of 40 test runs were judged' }],
  });
});

test('cancelling a run that has ended changes nothing and returns it as it is', async () => {
  const runId = await running.start(modelSuite({ cases: 2 }));
  await running.waitForEnd(runId);
  const { data } = await running.ask(cancelText, { id: runId });
  expect(data?.cancelRun).toEqual({
    __typename: 'CancelRunSuccess',
    changed: false,
    run: { status: 'COMPLETED', skippedCases: 0, openCases: 0 },
  });
});

test('a run that does not exist cannot be cancelled', async () => {
  const { data } = await running.ask(cancelText, { id: '00000000-0000-4000-8000-000000000000' });
  expect(data?.cancelRun).toEqual({ __typename: 'NotFound', code: 'NOT_FOUND' });
});

test('the next run is not held up by one that was cancelled', async () => {
  const { model } = running;
  model.hold();
  const cancelled = await running.start(modelSuite({ cases: 40 }));
  await model.whenInFlight(4);
  await running.ask(cancelText, { id: cancelled });
  model.release();
  const runId = await running.start(modelSuite({ cases: 3 }));
  expect((await running.waitForEnd(runId)).results.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
});
