import { expect, it } from 'vitest';
import { timesWritten, toneFiles, toneRules } from '../judging/rated-tone.ts';
import { patient, type Suite, startRunningProduct } from './running-product.ts';

it('several runners rate by the same written steps, and so does the next run of the suite', patient, async () => {
  await using running = await startRunningProduct({
    rules: toneRules(),
    runners: 2,
    runnerEnv: { PROOFMARK_SLOTS: '1' },
  });
  const { model } = running;
  const followed = async (runId: string) => {
    const rows = await running.rows<{ session: string; steps: unknown }>(
      `select c.payload -> 'metricDetails' -> 0 -> 'steps' as steps, k.session_id as session
       from test_case_results c join test_suite_runs s on s.id = c.run_id
       join chunks k on k.run_id = s.run_id and c.id = any(k.members) and k.attempt = c.attempt where s.run_id = $1`,
      [runId],
    );
    return { sessions: new Set(rows.map(({ session }) => session)).size, steps: rows.map(({ steps }) => steps) };
  };
  model.hold();
  const first = await running.start(toneSuite());
  // One slot each: two requests at once are two runners, and neither has asked for steps yet.
  await model.whenInFlight(2);
  model.release();
  await running.waitForEnd(first);
  const { sessions, steps } = await followed(first);
  expect(sessions).toBe(2);
  expect(steps).toEqual(Array(6).fill(steps[0]));
  expect(steps[0]).toEqual(['Read it.', expect.stringContaining('Rate it, way')]);

  const written = timesWritten(model);
  const second = await running.start(toneSuite());
  await running.waitForEnd(second);
  expect((await followed(second)).steps).toEqual(steps);
  expect(timesWritten(model)).toBe(written);
});

const toneSuite = (): Suite => ({
  files: Object.entries(toneFiles()).map(([path, text]) => ({ path, text })),
  suitePaths: ['evals/tone.suite.yaml'],
  projectPath: 'proofmark.yaml',
});
