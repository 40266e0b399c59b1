import type { EntityManager } from '@mikro-orm/postgresql';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { PROTOCOL_VERSION, type TaskMessage } from '@proofmark/contracts/task-message';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import type { RowKey } from './row-key.ts';

interface QueuedRow {
  tenantId: string;
  runId: string;
  suiteRunId: string;
  testRunId: string;
  publishGen: number;
  pairKey: string | null;
  work: CaseWork;
}

const poisonAfterCrashes = 3;

/**
 * Tasks that are queued and not yet published, round by round, so that a small run does not wait behind a large one.
 * Nothing is locked: two replicas may take the same ones, and a task that is published twice is claimed once.
 */
export async function takeUnpublished(database: Database, limit: number, run?: RowKey): Promise<TaskMessage[]> {
  return asWorker(database, async (em) => {
    const ofRun = run === undefined ? sql`` : sql`and l.tenant_id = ${run.tenantId} and l.run_id = ${run.id}`;
    const { rows } = await sql<QueuedRow>`
      select ${queuedColumns} from test_run_leases l
      join test_suite_runs s on s.tenant_id = l.tenant_id and s.id = l.suite_run_id
      where l.state = 'queued' and l.published_at is null and l.crash_count < ${poisonAfterCrashes} ${ofRun}
        and s.status in ('pending', 'running') and s.closing is null
        and (s.open_round is null or l.repetition <= s.open_round)
      order by l.repetition, l.sort_order, l.test_run_id limit ${limit}`.execute(em.getKysely());
    return toTasks([...rows, ...(await partnersOf(em, rows))]);
  });
}

const queuedColumns = sql`
  l.tenant_id as "tenantId", l.run_id as "runId", l.suite_run_id as "suiteRunId", l.test_run_id as "testRunId",
  l.publish_gen as "publishGen", l.pair_key as "pairKey", l.work`;

const pairColumns: Columns<QueuedRow> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  run_id: { type: 'uuid', of: ({ runId }) => runId },
  pair_key: { type: 'text', of: ({ pairKey }) => pairKey },
};

/** The other halves of pairs that the limit has cut in two. */
async function partnersOf(em: EntityManager, rows: readonly QueuedRow[]): Promise<QueuedRow[]> {
  const halves = [
    ...Map.groupBy(
      rows.filter(({ pairKey }) => pairKey !== null),
      pairOf,
    ).values(),
  ]
    .filter((pair) => pair.length === 1)
    .flat();
  if (halves.length === 0) return [];
  const partners = await sql<QueuedRow>`
    select ${queuedColumns} from ${unnest(halves, pairColumns, 'h')}
    join test_run_leases l on l.tenant_id = h.tenant_id and l.run_id = h.run_id and l.pair_key = h.pair_key
    where l.state = 'queued' and l.published_at is null
      and l.test_run_id <> all(${halves.map(({ testRunId }) => testRunId)}::uuid[])`.execute(em.getKysely());
  return partners.rows;
}

const pairOf = ({ runId, testRunId, pairKey }: QueuedRow): string =>
  pairKey === null ? testRunId : `${runId} ${pairKey}`;

/** Baseline and candidate of one repetition travel together; a partner that is done or elsewhere is left out. */
function toTasks(rows: readonly QueuedRow[]): TaskMessage[] {
  const tasks = new Map<string, TaskMessage>();
  for (const row of rows) {
    const { tenantId, runId, suiteRunId, testRunId, publishGen, work } = row;
    const key = pairOf(row);
    const task = tasks.get(key) ?? { v: PROTOCOL_VERSION, kind: 'task', tenantId, runId, publishGen, testRuns: [] };
    task.publishGen = Math.max(task.publishGen, publishGen);
    task.testRuns.push({ testRunId, suiteRunId, work });
    tasks.set(key, task);
  }
  for (const { testRuns } of tasks.values()) testRuns.sort((a, b) => (a.work.variant < b.work.variant ? -1 : 1));
  return [...tasks.values()];
}

const taskColumns: Columns<{ tenantId: string; testRunId: string; publishGen: number }> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  test_run_id: { type: 'uuid', of: ({ testRunId }) => testRunId },
  publish_gen: { type: 'int4', of: ({ publishGen }) => publishGen },
};

/** Notes that the broker has these tasks. One that was queued again in the meantime stays to be published. */
export async function markPublished(database: Database, tasks: readonly TaskMessage[]): Promise<void> {
  const testRuns = tasks.flatMap(({ tenantId, publishGen, testRuns: both }) =>
    both.map(({ testRunId }) => ({ tenantId, testRunId, publishGen })),
  );
  if (testRuns.length === 0) return;
  await retryConflicts(() =>
    asWorker(database, async (em) => {
      await sql`
        with pick as (
          select l.tenant_id, l.test_run_id from test_run_leases l
          join ${unnest(testRuns, taskColumns, 'p')} on p.tenant_id = l.tenant_id and p.test_run_id = l.test_run_id
            and p.publish_gen >= l.publish_gen
          where (l.state = 'queued' and l.published_at is null) is true order by l.test_run_id for update of l)
        update test_run_leases l set published_at = now() from pick p
        where l.tenant_id = p.tenant_id and l.test_run_id = p.test_run_id`.execute(em.getKysely());
    }),
  );
}

export interface PublishedBacklog {
  tenantId: string;
  runId: string;
  /** Published tasks that nobody has claimed: about as many messages should wait in the broker. */
  published: number;
}

/** For each active run, how many tasks the broker should still hold. */
export async function publishedBacklog(database: Database): Promise<PublishedBacklog[]> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<PublishedBacklog>`
      select l.tenant_id as "tenantId", l.run_id as "runId", count(distinct coalesce(l.pair_key, l.test_run_id::text))::int as published
      from test_run_leases l join test_suite_runs s on s.tenant_id = l.tenant_id and s.id = l.suite_run_id
      where l.state = 'queued' and l.published_at < now() - interval '5 seconds'
        and s.status in ('pending', 'running') and s.closing is null
      group by 1, 2`.execute(em.getKysely());
    return rows;
  });
}

/** A batch takes well below a second. */
const republishedAtOnce = 2_000;

/**
 * Has the published and unclaimed tasks of a run published again, batch by batch: the broker lost some. Returns how many
 * test runs that are.
 */
export async function republish(database: Database, run: RowKey): Promise<number> {
  const ids = await asWorker(database, async (em) => {
    const { rows } = await sql<{ id: string }>`
      select test_run_id as id from test_run_leases
      where tenant_id = ${run.tenantId} and run_id = ${run.id} and state = 'queued' and published_at is not null
      order by 1`.execute(em.getKysely());
    return rows.map(({ id }) => id);
  });
  let republished = 0;
  for (let start = 0; start < ids.length; start += republishedAtOnce)
    republished += await republishBatch(database, run, ids.slice(start, start + republishedAtOnce));
  return republished;
}

async function republishBatch(database: Database, { tenantId }: RowKey, ids: readonly string[]): Promise<number> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const { rows } = await sql`
        with pick as (
          select tenant_id, test_run_id from test_run_leases
          where tenant_id = ${tenantId} and test_run_id = any(${ids}::uuid[]) and (state = 'queued') is true
            and published_at is not null
          order by test_run_id for update)
        update test_run_leases l set publish_gen = l.publish_gen + 1, published_at = null from pick p
        where l.tenant_id = p.tenant_id and l.test_run_id = p.test_run_id returning l.test_run_id`.execute(
        em.getKysely(),
      );
      return rows.length;
    }),
  );
}
