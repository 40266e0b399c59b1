import { aggregateCheck, suiteCheck } from '@proofmark/domain/check-output';
import { expect, it } from 'vitest';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { inTenant } from '../database/transactions.ts';
import { readRunReport } from '../feedback/read-run-report.ts';
import { coordinatorMetrics } from '../http/coordinator-metrics.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  inEachTest,
  newRepository,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { missingRunners } from '../upkeep/missing-runners.ts';
import { type PoolState, type QueueState, queueWatch } from '../upkeep/queue-watch.ts';
import { closeOverdue } from './close-overdue.ts';
import { readServedPools } from './fleet.ts';
import { takeUnpublished } from './publishing.ts';
import { beatSession, storeSession } from './sessions.ts';

let ledger: Ledger;
let tenant: Tenant;
inEachTest(async (story) => {
  ({ ledger, tenant } = story);
  await newRepository(ledger, tenant);
});

const leaseMs = 25_000;
const newRunner = (runnerId: string, pools: readonly string[], slots = 8) =>
  storeSession(ledger.database, { runnerId, pools, version: '0', slots, leaseMs });
const suites = (...pools: string[]) =>
  anInput({
    files: pools.map((pool) => ({
      path: `${pool}.suite.yaml`,
      text: suiteFile({ name: pool, cases: 64, extra: pool === 'default' ? '' : `pool: ${pool}` }),
    })),
    suitePaths: pools.map((pool) => `${pool}.suite.yaml`),
  });
const publishedFor = async (pool: string) =>
  (await takeUnpublished(ledger.database, { pool, limit: 256 })).map(({ id }) => id);

it('cuts each suite for the runners of its pool, and publishes it for them alone', async () => {
  await newRunner('large', ['default'], 64);
  await newRunner('small', ['gpu'], 2);
  const runId = await begin(ledger, tenant, suites('default', 'gpu'));
  const chunks = await ledger.query<{ pool: string; suite: string; chunks: number; largest: number }>(
    `select c.pool, s.suite_name as suite, count(*)::int as chunks, max(cardinality(c.members)) as largest
     from chunks c join test_suite_runs s on s.id = c.suite_run_id where c.run_id = $1 group by 1, 2 order by 1`,
    [runId],
  );
  expect(chunks).toEqual([
    { pool: 'default', suite: 'default', chunks: 4, largest: 16 },
    { pool: 'gpu', suite: 'gpu', chunks: 64, largest: 1 },
  ]);
  const [forAll, forGpu] = [await publishedFor('default'), await publishedFor('gpu')];
  expect(forAll.length).toBeGreaterThan(0);
  expect(forGpu.length).toBeGreaterThan(0);
  expect(forAll.filter((id) => forGpu.includes(id))).toEqual([]);
});

it('knows the pools that have a runner, those of runners that can say only one among them, and the default one', async () => {
  expect(await readServedPools(ledger.database)).toEqual(['default']);
  await newRunner('several', ['gpu', 'lan']);
  await ledger.query(`insert into runner_sessions (runner_id, pool, version, slots, lease_until)
    values ('older', 'old', '0', 8, now() + interval '1 hour'), ('dead', 'dead', '0', 8, now() - interval '1 second')`);
  expect(await readServedPools(ledger.database)).toEqual(['default', 'gpu', 'lan', 'old']);
});

it('tells a runner how many take work that it takes', async () => {
  const both = await newRunner('both', ['gpu', 'lan']);
  const gpu = await newRunner('gpu', ['gpu']);
  const lan = await newRunner('lan', ['lan']);
  const sizes = [];
  for (const sessionId of [both, gpu, lan]) {
    const beat = await beatSession(ledger.database, { sessionId, held: [], waiting: [], unconfirmed: [] }, leaseMs);
    sizes.push(beat.session === 'open' ? beat.fleetSize : null);
  }
  expect(sizes).toEqual([3, 2, 2]);
});

const reportOf = async (runId: string) => {
  const places = { publicUrl: 'https://p', forgeUrl: () => 'https://g' };
  const reading = await inTenant(ledger.database, tenant.id, (em) => readRunReport(em.getKysely(), runId, places));
  return given(reading?.report);
};
const look = async (patienceMs = 1) =>
  await missingRunners(ledger.database, { patienceMs, wake: () => {} }).run(new AbortController().signal);

it('says of a run that nobody is there to run it, until a runner of its pool comes', async () => {
  await newRunner('elsewhere', ['default']);
  const runId = await begin(ledger, tenant, suites('gpu'));
  // A runner may be about to start.
  expect(await look(60_000)).toEqual({ changed: 0 });
  expect(aggregateCheck(await reportOf(runId)).title).toBe('0/64 test runs');
  expect(await look()).toEqual({ changed: 1 });
  expect(await look()).toEqual({ changed: 0 });
  expect(aggregateCheck(await reportOf(runId)).title).toBe('0/64 test runs, no runners connected to the pool gpu');
  const sessionId = await newRunner('gpu-1', ['lan', 'gpu']);
  expect(await look()).toEqual({ changed: 1 });
  expect(aggregateCheck(await reportOf(runId)).title).toBe('0/64 test runs');
  expect(await claimAll(ledger, runId, sessionId)).toHaveLength(64);
});

it('says of a run that its deadline ended why nothing was run', async () => {
  const runId = await begin(ledger, tenant, suites('gpu'));
  await look();
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  await closeOverdue(ledger.database);
  await newRunner('too late', ['gpu']);
  await look();
  const report = await reportOf(runId);
  expect(suiteCheck(report, given(report.suites[0])).title).toBe(
    'Timed out, 64/64 test runs: no runners connected to the pool gpu',
  );
});

const queues = async () => {
  let read: readonly PoolState[] = [];
  const onRead = ({ pools }: QueueState) => {
    read = pools;
  };
  const watch = queueWatch({ database: ledger.database, writeIntervalMs: 1000, onRead });
  await watch.run(new AbortController().signal);
  return read;
};

it('tells for each pool what waits, since when, what is held and who is there', async () => {
  const none = { ageSeconds: 0, waiting: 0, running: 0, waitingChunks: 0, runningChunks: 0, runners: 0, slots: 0 };
  expect(await queues()).toEqual([{ ...none, pool: 'default' }]);
  const sessionId = await newRunner('both', ['gpu', 'lan'], 8);
  await newRunner('gpu', ['gpu'], 4);
  const runId = await begin(ledger, tenant, suites('gpu', 'unserved'));
  await ledger.query(`update test_suite_runs set created_at = now() - interval '90 seconds' where pool = 'gpu'`);
  const [byDefault, gpu, lan, unserved] = await queues();
  expect(byDefault).toEqual({ ...none, pool: 'default' });
  expect(gpu).toMatchObject({ pool: 'gpu', waiting: 64, running: 0, runners: 2, slots: 12 });
  expect(gpu?.ageSeconds).toBeGreaterThanOrEqual(90);
  expect(lan).toEqual({ ...none, pool: 'lan', runners: 1, slots: 8 });
  expect(unserved).toMatchObject({ pool: 'unserved', waiting: 64, runners: 0, slots: 0 });
  await claimAll(ledger, runId, sessionId);
  const chunks = { runningChunks: given(gpu).waitingChunks };
  expect(chunks.runningChunks).toBeGreaterThan(0);
  expect(await queues()).toContainEqual({ ...none, ...chunks, pool: 'gpu', running: 64, runners: 2, slots: 12 });
  // What nobody will run any more does not wait.
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second'`);
  expect(await queues()).toContainEqual({ ...none, pool: 'gpu', runners: 2, slots: 12 });
});

it('has no metric of a pool that is gone', async () => {
  const metrics = coordinatorMetrics();
  const state = { ageSeconds: 7.5, waiting: 3, running: 2, waitingChunks: 1, runningChunks: 1, runners: 1, slots: 8 };
  metrics.setQueues({ pools: [{ pool: 'gpu', ...state }], pauseSeconds: 0 });
  const text = await metrics.read().metrics();
  for (const line of [
    'age_seconds{pool="gpu"} 7.5',
    'test_runs{pool="gpu",state="waiting"} 3',
    'test_runs{pool="gpu",state="running"} 2',
  ])
    expect(text).toContain(`proofmark_queue_${line}`);
  metrics.setQueues({ pools: [{ pool: 'default', ...state }], pauseSeconds: 0 });
  expect(await metrics.read().metrics()).not.toContain('pool="gpu"');
});
