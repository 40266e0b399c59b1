import { expect, test } from 'vitest';
import { expectSoundLedger, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const cases = 12;

/** What came of a run whose model answers nothing before it has had so many questions at once. */
async function resultsOf({ model, start, waitForEnd, rows }: RunningProduct, atOnce: number): Promise<string[]> {
  model.hold();
  const runId = await start(modelSuite({ cases }));
  await model.whenInFlight(atOnce);
  model.release();
  const { results } = await waitForEnd(runId);
  await expectSoundLedger(rows, runId);
  return results.map(({ caseName, status }) => `${caseName} ${status}`);
}

test('D-09 four runners do four times as much at once as one, for the same results', patient, async () => {
  await using running = await startRunningProduct({ runners: 1, runnerEnv: { PROOFMARK_SLOTS: '1' } });
  const alone = await resultsOf(running, 1);
  const mostAlone = running.model.mostInFlight();
  for (let added = 0; added < 3; added++) await running.product.addRunner();
  const together = await resultsOf(running, 4);

  expect(mostAlone).toBe(1);
  expect(running.model.mostInFlight()).toBe(4);
  expect(together).toEqual(alone);
  expect(alone).toEqual(Array.from({ length: cases }, (_, at) => `Case ${at + 1} passed`));
});

test('a small run is next in line beside a large one, and both are whole in the end', patient, async () => {
  await using running = await startRunningProduct({ runners: 2, runnerEnv: { PROOFMARK_SLOTS: '4' } });
  const { model, start, waitForEnd, rows } = running;
  model.hold();
  const large = await start(modelSuite({ cases: 100, repetitions: 3 }));
  await model.whenInFlight(8);
  const small = await start(modelSuite({ cases: 10 }));
  model.release();
  await waitForEnd(small);
  const [open] = await rows<{ count: number }>('select sum(open_count)::int as count from chunks where run_id = $1', [
    large,
  ]);
  expect(open?.count).toBeGreaterThan(100);
  await waitForEnd(large);
  for (const runId of [small, large]) await expectSoundLedger(rows, runId);
});
