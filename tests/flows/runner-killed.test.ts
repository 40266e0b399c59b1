import { expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, modelSuite, patient, startRunningProduct } from './running-product.ts';

test(
  'F12 D-10 a runner that is killed in the middle of its cases loses none of them: another one repeats them',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 1 });
    const { model, product, rows } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 12 }));
    await model.whenInFlight(4);
    const [victim] = product.runners;
    await victim?.kill('SIGKILL');
    model.release();
    await product.addRunner();

    const ended = await running.waitForEnd(runId);
    expect(ended.status).toBe('completed');
    expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'passed'));
    expect(ended.results.filter(({ attempt }) => attempt === 2)).toHaveLength(4);
    await expectSoundLedger(rows, runId);
  },
);

test(
  'F17 a case that is lost with three runners becomes an error, and the others are not harmed',
  patient,
  async () => {
    await using running = await startRunningProduct({
      hasShortLeases: true,
      runners: 1,
      rules: [{ when: { user: '(2)' }, hangs: true }, { reply: 'At 17.' }],
      runnerEnv: { PROOFMARK_SLOTS: '1' },
    });
    const { product, rows } = running;
    const runId = await running.start(modelSuite({ cases: 3 }));
    for (let crash = 1; crash <= 3; crash++) {
      const isHeld = () =>
        rows(
          `select 1 from chunks c join planned_test_runs p on p.test_run_id = any(c.members)
           where c.run_id = $1 and p.case_name = 'Case 2' and c.state = 'leased' and c.attempt = $2
             and not exists (
               select 1 from chunks o join runner_sessions s on s.id = o.session_id
               where o.run_id = $1 and o.state = 'leased' and o.id <> c.id and not o.members <@ coalesce(s.waiting, '{}'))`,
          [runId, crash],
        );
      await waitUntil(async () => (await isHeld()).length > 0, {
        what: `a runner holds the bad case for the time number ${crash}, and has said that it began no other`,
      });
      await product.runners.at(-1)?.kill('SIGKILL');
      if (crash < 3) await product.addRunner();
    }
    await product.addRunner();

    const ended = await running.waitForEnd(runId);
    expect(ended.results.map(({ caseName, status, errorKind }) => [caseName, status, errorKind])).toEqual([
      ['Case 1', 'passed', null],
      ['Case 2', 'error', 'lost'],
      ['Case 3', 'passed', null],
    ]);
    await expectSoundLedger(rows, runId);
  },
);

test.each([
  ['after_claim_before_ack', 'between taking work and acknowledging it'],
  ['before_model_call:2', 'before a model is asked'],
  ['mid_model_call:2', 'while a model answers'],
  ['after_answer_before_publish:2', 'between an answer and its result'],
  ['after_publish_before_confirm', 'before it knows that its results are stored'],
])('F13 a runner that dies at %s, %s, loses and doubles nothing', patient, async (point) => {
  await using running = await startRunningProduct({
    hasShortLeases: true,
    runners: 1,
    runnerEnv: { PROOFMARK_CHAOS_AT: point },
  });
  const { product, rows } = running;
  const runId = await running.start(modelSuite({ cases: 6 }));
  expect((await product.runners[0]?.exited)?.signal).toBe('SIGKILL');
  await product.addRunner({ PROOFMARK_CHAOS_AT: '' });

  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'passed'));
  await expectSoundLedger(rows, runId);
});
