import type { EntityManager } from '@mikro-orm/postgresql';
import { chunkSize } from '@proofmark/domain/cut-chunks';
import type { DecidedTestRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';
import { countResults, finishEmptySuiteRuns, type OpenSuiteRun } from './count-results.ts';
import type { Fleets } from './fleet.ts';
import { outcomeColumns } from './incoming-results.ts';
import { type NewTestRun, planColumns, type TakenResult } from './new-test-run.ts';
import { type QueuedTestRun, storeChunks, storeContents } from './store-chunks.ts';
import { workSplitter } from './work-parts.ts';

type Decided = NewTestRun & { decided: DecidedTestRun };

const decidedColumns: Columns<Decided> = {
  id: { type: 'uuid', of: ({ id }) => id },
  run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  status: { type: 'text', of: ({ decided }) => decided.status },
  error_kind: { type: 'text', of: ({ decided }) => (decided.status === 'error' ? decided.errorKind : null) },
  error_message: { type: 'text', of: ({ decided }) => (decided.status === 'error' ? decided.message : null) },
  skip_reason: { type: 'text', of: ({ decided }) => (decided.status === 'skipped' ? decided.reason : null) },
  ...planColumns,
};

const largestBatch = 500;

interface Storing {
  tenantId: string;
  runId: string;
  testRuns: readonly NewTestRun[];
  /** Who is there to take them. */
  fleets: Fleets;
}

/** Queues the test runs that need a runner, and writes the rows of those that are decided already. */
export async function storeTestRuns(em: EntityManager, { tenantId, runId, testRuns, fleets }: Storing): Promise<void> {
  const kysely = em.getKysely();
  const open = testRuns.filter(({ testRun }) => testRun.decided === null);
  await queue(em, { tenantId, runId, testRuns: open.filter(({ taken }) => taken === undefined), fleets });
  const decided = testRuns.flatMap((one) =>
    one.testRun.decided === null ? [] : [{ ...one, decided: one.testRun.decided }],
  );
  for (const batch of batches(decided)) {
    await sql`
      insert into test_case_results (tenant_id, ${names(decidedColumns)})
      select ${tenantId}::uuid, d.* from ${unnest(batch, decidedColumns, 'd')}`.execute(kysely);
  }
  const there = open.flatMap((one) => (one.taken === undefined ? [] : [{ ...one, taken: one.taken }]));
  for (const batch of batches(there)) await storeTakenResults(em, { tenantId, runId, batch });
  const statuses = [
    ...decided.map((one) => ({ ...one, ...one.decided })),
    ...there.map((one) => ({ ...one, ...one.taken })),
  ];
  await countDecided(em, { tenantId, runId }, statuses);
}

async function queue(em: EntityManager, { tenantId, runId, testRuns, fleets }: Storing): Promise<void> {
  if (testRuns.length === 0) return;
  const partsOf = workSplitter();
  const queued = testRuns.map((one): QueuedTestRun => {
    const { work, caseName, sortOrder } = one.testRun;
    if (work === null) throw new Error(`${caseName} is not decided and has no work`);
    return { ...one, position: sortOrder, seed: work.seed, contents: work.contents ?? [], parts: partsOf(work) };
  });
  await storeContents(
    em,
    tenantId,
    queued.flatMap(({ parts }) => [parts.setting, parts.case]),
  );
  await storeChunks(em, {
    tenantId,
    runId,
    testRuns: queued,
    sizeOf: (pool) => chunkSize(queued.length, fleets(pool)),
  });
}

/** A suite run of which nothing is left to do ends here, also one without any case: nothing executed is judged like the rest. */
async function countDecided(
  em: EntityManager,
  run: Pick<Storing, 'tenantId' | 'runId'>,
  ended: readonly { suiteRunId: string; status: string }[],
): Promise<void> {
  const rows = ended.map(({ suiteRunId, status }) => ({ tenantId: run.tenantId, suiteRunId, status }));
  await countResults(em, rows);
  const empty = await sql<OpenSuiteRun>`
    select tenant_id as "tenantId", run_id as "runId", id as "suiteRunId", 0 as open from test_suite_runs
    where tenant_id = ${run.tenantId} and run_id = ${run.runId}
      and total_cases = passed_cases + failed_cases + skipped_cases and unwritten_cases = 0`.execute(em.getKysely());
  await finishEmptySuiteRuns(em, empty.rows);
}

function batches<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / largestBatch) }, (_, index) =>
    rows.slice(index * largestBatch, (index + 1) * largestBatch),
  );
}

/** A test run whose result is there already. */
type TakenTestRun = NewTestRun & { taken: TakenResult };

const columns: Columns<TakenTestRun> = {
  id: { type: 'uuid', of: ({ id }) => id },
  run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  source_id: { type: 'uuid', of: ({ taken }) => taken.id },
  ...planColumns,
};

const list = (prefix: string, names: Columns<never>) =>
  sql.join(Object.keys(names).map((name) => sql.ref(`${prefix}.${name}`)));
const plain = (names: Columns<never>) => sql.join(Object.keys(names).map((name) => sql.ref(name)));

/** Writes the results once more under the test runs of this run, with all that a page or a further look needs of them. */
async function storeTakenResults(
  em: EntityManager,
  { tenantId, runId, batch }: { tenantId: string; runId: string; batch: readonly TakenTestRun[] },
): Promise<void> {
  const kysely = em.getKysely();
  await sql`
    insert into test_case_results (tenant_id, id, run_id, attempt, ${plain(planColumns)}, ${plain(outcomeColumns)})
    select ${tenantId}::uuid, t.id, t.run_id, c.attempt, ${list('t', planColumns)}, ${list('c', outcomeColumns)}
    from ${unnest(batch, columns, 't')} join test_case_results c on c.tenant_id = ${tenantId} and c.id = t.source_id`.execute(
    kysely,
  );
  await sql`
    insert into planned_test_runs (tenant_id, run_id, test_run_id, suite_run_id, setting_hash, case_content_hash, seed,
      ${plain(planColumns)})
    select ${tenantId}::uuid, ${runId}::uuid, t.id, t.run_id, p.setting_hash, p.case_content_hash, p.seed,
      ${list('t', planColumns)}
    from ${unnest(batch, columns, 't')}
    join planned_test_runs p on p.tenant_id = ${tenantId} and p.test_run_id = t.source_id`.execute(kysely);
}
