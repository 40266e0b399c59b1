import { expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, modelSuite, patient, startRunningProduct } from './running-product.ts';

test(
  'a run goes to the runners of the pool of its suite, says so while there are none, and an admin sees who runs it',
  patient,
  async () => {
    await using running = await startRunningProduct({ runners: 1 });
    const { ask, model, product, start, waitForEnd } = running;
    const waitsFor = async (id: string) =>
      (await ask('query ($id: UUID!) { run(id: $id) { poolsWithoutRunners suiteRuns { pool } } }', { id })).data?.run;
    const connected = async () =>
      (await ask('{ runners { id pools slots version since heldTestRuns runIds } }')).data?.runners;
    const other = {
      id: 'runner-1',
      pools: ['default'],
      slots: 4,
      version: expect.any(String),
      since: expect.any(String),
    };

    model.hold();
    const runId = await start(modelSuite({ cases: 3, pool: 'gpu' }));
    expect(await waitsFor(runId)).toEqual({ poolsWithoutRunners: ['gpu'], suiteRuns: [{ pool: 'gpu' }] });
    expect(await connected()).toEqual([{ ...other, heldTestRuns: 0, runIds: [] }]);

    await product.addRunner({ PROOFMARK_POOLS: 'gpu,lan', PROOFMARK_RUNNER_ID: 'gpu-1' });
    await model.whenInFlight(3);
    expect(await waitsFor(runId)).toMatchObject({ poolsWithoutRunners: [] });
    expect(await connected()).toEqual([
      { ...other, heldTestRuns: 0, runIds: [] },
      { ...other, id: 'gpu-1', pools: ['gpu', 'lan'], heldTestRuns: 3, runIds: [runId] },
    ]);

    model.release();
    await waitForEnd(runId);
    expect(await waitsFor(runId)).toMatchObject({ poolsWithoutRunners: [] });
    // The same runner serves its other pool, and whoever names none goes on as before.
    const others = [await start(modelSuite({ cases: 2, pool: 'lan' })), await start(modelSuite({ cases: 2 }))];
    for (const id of others) expect(await waitForEnd(id)).toMatchObject({ status: 'completed' });
    const holders = await running.rows<{ pool: string; runner: string }>(
      `select distinct c.pool, s.runner_id as runner from chunks c join runner_sessions s on s.id = any(c.holders) order by 1`,
    );
    expect(holders).toEqual([
      { pool: 'default', runner: 'runner-1' },
      { pool: 'gpu', runner: 'gpu-1' },
      { pool: 'lan', runner: 'gpu-1' },
    ]);

    // The fleet becomes smaller: what the leaving runner has begun it ends, the rest goes to the other one, and nothing is asked twice.
    const [leaving] = product.runners;
    await product.addRunner();
    const before = model.requests.length;
    model.hold();
    const shrunk = await start(modelSuite({ cases: 24 }));
    await model.whenInFlight(8);
    const left = leaving?.stop(60_000);
    await waitUntil(() => leaving?.log().includes('Draining') === true, {
      what: 'the runner heeds SIGTERM',
      ...(leaving === undefined ? {} : { detail: leaving.log }),
    });
    model.release();
    await left;
    expect(await leaving?.exited).toEqual({ code: 0, signal: null });
    const ended = await waitForEnd(shrunk);
    expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 'passed'));
    expect(model.requests.length - before).toBe(24);
    await expectSoundLedger(running.rows, shrunk);
  },
);
