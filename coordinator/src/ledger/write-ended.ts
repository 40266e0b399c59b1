import type { EntityManager } from '@mikro-orm/postgresql';
import type { Ending } from '@proofmark/domain/suite-run';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { openMembers } from './close-chunks.ts';
import { endSuiteRuns, type FinishedSuiteRun } from './count-results.ts';
import { isQueued } from './plan-steps.ts';
import { writeRows } from './write-rows.ts';

/** A step stays far below the time that a statement has, however large the run is. */
const testRunsOfStep = 2_000;
const chunksOfStep = 256;
const stepsOfPass = 200;

export interface WrittenEnds {
  /** Rows of test runs that did not run. */
  written: number;
  finishedSuiteRuns: FinishedSuiteRun[];
}

/**
 * Writes in bounded steps, each in a transaction of its own, what follows from decided ends; a suite run whose last row was
 * written is judged from here. Any replica goes on with what another one began.
 */
export async function writeEnded(
  database: Database,
  { run, steps = stepsOfPass }: { run?: RowKey; steps?: number } = {},
): Promise<WrittenEnds> {
  const done: WrittenEnds = { written: 0, finishedSuiteRuns: [] };
  for (let step = 0; step < steps; step++) {
    const next = await retryConflicts(() => asWorker(database, (em) => writeStep(em, run)));
    if (next === null) break;
    done.written += next.written;
    done.finishedSuiteRuns.push(...next.finishedSuiteRuns);
  }
  return done;
}

interface EndedSuiteRun extends RowKey {
  runId: string;
  ending: Ending;
}

async function writeStep(em: EntityManager, run: RowKey | undefined): Promise<WrittenEnds | null> {
  const ended = await lockEnded(em, run);
  const [first] = ended;
  if (first === undefined) return null;
  const ids = ended.map(({ id }) => id);
  const { rows } = await writeRows(sql`
    next as (
      select c.tenant_id, c.id, sum(c.open_count) over (order by c.id rows unbounded preceding) as so_far from (
        select * from chunks c
        where c.tenant_id = ${first.tenantId} and c.run_id = ${first.runId} and c.state in ('queued', 'leased')
          and (c.suite_run_id = any(${ids}::uuid[]) or c.base_suite_run_id = any(${ids}::uuid[]))
        order by c.id limit ${chunksOfStep}) c),
    chosen as (
      select c.* from next n join chunks c on c.tenant_id = n.tenant_id and c.id = n.id
      where n.so_far <= ${testRunsOfStep} and c.state in ('queued', 'leased')
      order by c.id for update of c),
    lost as (
      select c.tenant_id, c.id as chunk_id, c.attempt, m.test_run_id, (m.n - 1)::int as at, s.ending -> 'closing' as closing
      from chosen c ${openMembers}
      cross join lateral (
        select p.suite_run_id from planned_test_runs p
        where p.tenant_id = c.tenant_id and p.test_run_id = m.test_run_id offset 0) p
      join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = p.suite_run_id and s.id = any(${ids}::uuid[]))`).execute(
    em.getKysely(),
  );
  const counts = Map.groupBy(rows, ({ suiteRunId }) => suiteRunId);
  const isLast = rows.length === 0;
  const over: EndedSuiteRun[] = [];
  for (const suiteRun of ended) {
    const written = counts.get(suiteRun.id)?.length ?? 0;
    if (written > 0 || isLast) over.push(...(await countOff(em, suiteRun, { written, isLast })));
  }
  const finishedSuiteRuns: FinishedSuiteRun[] = [];
  for (const suiteRun of over) finishedSuiteRuns.push(...(await endSuiteRuns(em, [suiteRun], suiteRun.ending)));
  return { written: rows.length, finishedSuiteRuns };
}

/** Of one run at a time, in the order in which everybody locks them; what another replica works on is left to it. */
async function lockEnded(em: EntityManager, run: RowKey | undefined): Promise<EndedSuiteRun[]> {
  const ofRun = run === undefined ? sql`` : sql`and tenant_id = ${run.tenantId} and run_id = ${run.id}`;
  const { rows } = await sql<EndedSuiteRun>`
    select tenant_id as "tenantId", id, run_id as "runId", ending from test_suite_runs
    where unwritten_cases > 0 and run_id = (
      select run_id from test_suite_runs s where unwritten_cases > 0 ${ofRun} and ${isQueued(sql`s`)}
      order by id limit 1 for no key update skip locked)
    order by id for no key update`.execute(em.getKysely());
  return rows;
}

/** When no chunk is left there is nothing to write any more; counters that differ from rows are somebody's bug, and reported. */
async function countOff(
  em: EntityManager,
  suiteRun: EndedSuiteRun,
  { written, isLast }: { written: number; isLast: boolean },
): Promise<EndedSuiteRun[]> {
  const { rows } = await sql<{ left: number }>`
    update test_suite_runs set unwritten_cases = case when ${isLast} then 0 else unwritten_cases - ${written}::int end
    where tenant_id = ${suiteRun.tenantId} and id = ${suiteRun.id} returning unwritten_cases as left`.execute(
    em.getKysely(),
  );
  return rows[0]?.left === 0 ? [suiteRun] : [];
}
