import { expect, test } from 'vitest';
import { expectSoundLedger, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const cases = 24;
const answerMs = 250;

/** How long a run took from its first test run to its last, with what came of each. */
async function timeOf({ start, waitForEnd, rows }: RunningProduct) {
  const runId = await start(modelSuite({ cases }));
  const { results } = await waitForEnd(runId);
  await expectSoundLedger(rows, runId);
  const [run] = await rows<{ ms: number }>(
    `select extract(epoch from max(completed_at) - min(started_at))::float8 * 1000 as ms from test_suite_runs where run_id = $1`,
    [runId],
  );
  return { ms: run?.ms ?? Number.NaN, results: results.map(({ caseName, status }) => `${caseName} ${status}`) };
}

test('D-09 four runners need well under the time of one, for the same results', patient, async () => {
  await using running = await startRunningProduct({
    runners: 1,
    rules: [{ reply: 'At 17.', delayMs: answerMs }],
    runnerEnv: { PROOFMARK_SLOTS: '1' },
  });
  const alone = await timeOf(running);
  for (let added = 0; added < 3; added++) await running.product.addRunner();
  const together = await timeOf(running);

  expect(together.results).toEqual(alone.results);
  expect(alone.results).toEqual(Array.from({ length: cases }, (_, at) => `Case ${at + 1} passed`));
  expect(alone.ms).toBeGreaterThan(cases * answerMs * 0.9);
  expect(together.ms).toBeLessThan(alone.ms * 0.6);
});
