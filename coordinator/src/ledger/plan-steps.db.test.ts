import { afterEach, expect, it } from 'vitest';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { stopEarly } from '../judging/stop-early.ts';
import { startRun } from '../start/start-run.ts';
import { anInput, given, inEachTest, miscounted, portsOf, suiteFile, type Tenant } from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { closeOverdue } from './close-overdue.ts';
import { planStep } from './plan-steps.ts';
import { takeUnpublished } from './publishing.ts';
import { storeSession } from './sessions.ts';
import { writeEnded } from './write-ended.ts';

let ledger: Ledger;
let tenant: Tenant;
inEachTest((story) => {
  ({ ledger, tenant } = story);
});
afterEach(async () => {
  await planAll();
  await writeEnded(ledger.database);
  expect(await miscounted(ledger)).toEqual([]);
});

const patient = { timeout: 240_000 };
const path = 'a.suite.yaml';

async function start(cases: number, repetitions: number): Promise<string> {
  const files = [{ path, text: suiteFile({ cases, repetitions }) }];
  const started = await startRun(portsOf(ledger), tenant.caller, anInput({ files, suitePaths: [path] }));
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  return started.runId;
}

const queued = async (runId: string): Promise<number> => {
  const [row] = await ledger.query<{ queued: number }>(
    `select coalesce(sum(cardinality(members)), 0)::int as queued from chunks where run_id = $1`,
    [runId],
  );
  return given(row).queued;
};

/** What each transaction has planned, in their order. */
const steps = async (runId: string): Promise<number[]> => {
  const rows = await ledger.query<{ planned: number }>(
    `select count(*)::int as planned from planned_test_runs where run_id = $1 group by xmin order by xmin::text::bigint`,
    [runId],
  );
  return rows.map(({ planned }) => planned);
};

async function planAll(): Promise<void> {
  while ((await planStep(ledger.database)) !== null);
}

it(
  'a run is queued in steps: its beginning with it, the rest in transactions of a bounded size, each test run once',
  patient,
  async () => {
    const runId = await start(600, 8);
    expect(await queued(runId)).toBe(250);
    await planAll();
    const sizes = await steps(runId);
    expect(sizes[0]).toBe(250);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
    const [planned] = await ledger.query(
      `select count(*)::int as all, count(distinct (case_key, repetition))::int as different, count(distinct seed)::int as seeds,
       (select count(*)::int from chunks c cross join lateral unnest(c.members) m(id)
        join planned_test_runs m2 on m2.tenant_id = c.tenant_id and m2.test_run_id = m.id where c.run_id = $1) as members
     from planned_test_runs where run_id = $1`,
      [runId],
    );
    expect(planned).toEqual({ all: 4_800, different: 4_800, seeds: 4_800, members: 4_800 });
    expect(await ledger.query('select 1 from queue_plans union all select 1 from queue_plan_parts')).toEqual([]);
  },
);

it('two replicas that queue the same run queue each test run once', patient, async () => {
  const runId = await start(700, 3);
  await Promise.all([planAll(), planAll(), planAll()]);
  await planAll();
  expect(await queued(runId)).toBe(2_100);
});

it('a small run is queued with its start, and needs no step', async () => {
  const runId = await start(10, 20);
  expect(await queued(runId)).toBe(200);
  expect(await planStep(ledger.database)).toBeNull();
});

it('a run of which less is queued comes first', patient, async () => {
  const large = await start(900, 6);
  await planStep(ledger.database);
  const before = await queued(large);
  const small = await start(300, 1);
  await planStep(ledger.database);
  expect([await queued(large), await queued(small)]).toEqual([before, 300]);
});

it('rounds are published one after the other, also where a later step has queued them', patient, async () => {
  const runId = await start(300, 2);
  await planAll();
  const fleet = { runnerId: 'runner-1', pools: ['default'], version: '0.0.0', slots: 10_000, leaseMs: 25_000 };
  await storeSession(ledger.database, fleet);
  const tasks = await takeUnpublished(ledger.database, { pool: 'default', limit: 256 });
  const rounds = tasks.map(({ payload }) => JSON.parse(payload).turns[0][0].repetition);
  expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
  expect(tasks.every((task) => task.runId === runId)).toBe(true);
});

it(
  'a run that is cancelled before all of it is queued ends with the right totals and a row for each test run (P3)',
  patient,
  async () => {
    const runId = await start(600, 2);
    await cancelRun(ledger.database, tenant.caller, runId);
    await writeEnded(ledger.database);
    const state = async () =>
      given(
        (
          await ledger.query(
            `select status, skipped_cases as skipped, unwritten_cases as unwritten,
             (select count(*)::int from test_case_results c where c.run_id = s.id) as rows
           from test_suite_runs s where run_id = $1`,
            [runId],
          )
        )[0],
      );
    expect(await state()).toMatchObject({ status: 'cancelled', skipped: 1_200, unwritten: 1_200, rows: 0 });
    await planAll();
    await writeEnded(ledger.database);
    expect(await state()).toEqual({ status: 'cancelled', skipped: 1_200, unwritten: 0, rows: 1_200 });
  },
);

it('a run past its deadline is judged only when all of it was queued and written', patient, async () => {
  const runId = await start(600, 1);
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  expect(await closeOverdue(ledger.database)).toEqual([]);
  expect(await stopEarly(ledger.database)).toEqual({ looked: 0, finishedSuiteRuns: [] });
  await planAll();
  expect(await closeOverdue(ledger.database)).toMatchObject([{ runId }]);
});
