import { expect, it } from 'vitest';
import { anInput, begin, claimAll, given, newSession, openStory, resultOf, suiteFile } from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { finaliseForgotten } from './finalise-forgotten.ts';
import { takeUnpublished } from './publishing.ts';
import { recordResults } from './record-results.ts';
import { writeEnded } from './write-ended.ts';

const { ledger, tenant } = await openStory();

const path = 'a.suite.yaml';
const runOf = (cases: number, repetitions = 1) =>
  begin(ledger, tenant, anInput({ files: [{ path, text: suiteFile({ cases, repetitions }) }], suitePaths: [path] }));
const stateOf = async (runId: string) =>
  given(
    (
      await ledger.query(
        `select status, passed_cases as passed, skipped_cases as skipped, unwritten_cases as unwritten, (
           select count(*)::int from test_case_results c where c.run_id = s.id and c.skip_reason = 'cancelled') as rows
         from test_suite_runs s where run_id = $1`,
        [runId],
      )
    )[0],
  );

it('decides the end of a run at once, however large it is, and writes what follows in bounded steps (P3, P7)', async () => {
  // A runner of eight slots: four test runs travel together.
  const sessionId = await newSession(ledger);
  const runId = await runOf(150, 15);
  const leased = await claimAll(ledger, runId, sessionId);
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);

  expect(await cancelRun(ledger.database, tenant.caller, runId)).toMatchObject({ run: { status: 'cancelled' } });

  const decided = await stateOf(runId);
  expect(decided).toMatchObject({ status: 'cancelled', passed: 1, skipped: 2249 });
  expect(decided.unwritten).toBeGreaterThan(50);
  expect(Number(decided.rows) + Number(decided.unwritten)).toBe(2249);
  // Nothing of it counts, leaves or is counted wrong any more, though most of its chunks are as they were.
  expect(await recordResults(ledger.database, [resultOf(given(leased.at(-1)))])).toMatchObject({
    recorded: 0,
    late: 1,
  });
  expect(await claimAll(ledger, runId, await newSession(ledger))).toEqual([]);
  expect(await takeUnpublished(ledger.database, { pool: 'default', limit: 10 })).toEqual([]);
  expect(await finaliseForgotten(ledger.database)).toEqual({ finishedSuiteRuns: [], miscounted: [] });

  await writeEnded(ledger.database, { steps: 1 });
  expect((await stateOf(runId)).unwritten).toBeGreaterThan(0);
  await writeEnded(ledger.database);
  expect(await stateOf(runId)).toMatchObject({ skipped: 2249, unwritten: 0, rows: 2249 });
  expect(
    await ledger.query(`select 1 from chunks where run_id = $1 and state in ('queued', 'leased')`, [runId]),
  ).toEqual([]);
});

it('writes each row once when two replicas write at the same time', async () => {
  const runId = await runOf(70, 2);
  await cancelRun(ledger.database, tenant.caller, runId);
  await Promise.all([writeEnded(ledger.database), writeEnded(ledger.database), writeEnded(ledger.database)]);
  await writeEnded(ledger.database);
  expect(await stateOf(runId)).toMatchObject({ skipped: 140, unwritten: 0, rows: 140 });
});
