import { expect, test } from 'vitest';
import { modelSuite, patient, startRunningProduct } from './running-product.ts';

test(
  'a run that nobody is there to run says so until a runner comes, and an admin sees who runs it',
  patient,
  async () => {
    await using running = await startRunningProduct({ runners: 0 });
    const { ask, model, product, start, waitForEnd } = running;
    const noRunners = async (id: string) =>
      (await ask('query ($id: UUID!) { run(id: $id) { hasNoRunners } }', { id })).data?.run;
    const connected = async () =>
      (await ask('{ runners { id pool slots version since heldTestRuns runIds } }')).data?.runners;

    model.hold();
    const runId = await start(modelSuite({ cases: 3 }));
    expect(await noRunners(runId)).toEqual({ hasNoRunners: true });
    expect(await connected()).toEqual([]);

    await product.addRunner();
    await model.whenInFlight(3);
    expect(await noRunners(runId)).toEqual({ hasNoRunners: false });
    expect(await connected()).toEqual([
      {
        ...{ id: 'runner-1', pool: 'default', slots: 4, version: expect.any(String), since: expect.any(String) },
        ...{ heldTestRuns: 3, runIds: [runId] },
      },
    ]);

    model.release();
    await waitForEnd(runId);
    expect(await noRunners(runId)).toEqual({ hasNoRunners: false });
    expect(await connected()).toMatchObject([{ id: 'runner-1', heldTestRuns: 0, runIds: [] }]);
  },
);
