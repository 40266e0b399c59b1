import type { EntityManager } from '@mikro-orm/postgresql';
import { sumKnown } from '@proofmark/domain/totals';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { keysOf, type RowKey } from '../database/row-key.ts';
import { type Columns, unnest, unnestUncounted } from '../database/unnest.ts';

export interface FinishedSuiteRun {
  tenantId: string;
  runId: string;
  suiteRunId: string;
}

export interface OpenSuiteRun extends FinishedSuiteRun {
  /** Test runs without a row. It comes from the update itself, so two batches cannot both see the last one. */
  open: number;
}

interface NewRow {
  tenantId: string;
  suiteRunId: string;
  status: string;
  /** How many there are of them; absent: this one. */
  count?: number;
}

/** What attempts of a suite run have spent. */
export interface Spent {
  tenantId: string;
  suiteRunId: string;
  /** Null: no price is known. */
  usd: number | null;
  tokens: number;
}

interface Delta extends RowKey {
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
  usd: number | null;
  tokens: number;
}

const deltaColumns: Columns<Delta> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
  passed: { type: 'int4', of: ({ passed }) => passed },
  failed: { type: 'int4', of: ({ failed }) => failed },
  errored: { type: 'int4', of: ({ errored }) => errored },
  skipped: { type: 'int4', of: ({ skipped }) => skipped },
  usd: { type: 'float8', of: ({ usd }) => usd },
  tokens: { type: 'int8', of: ({ tokens }) => tokens },
};

/**
 * SQL: adds the sums `d (tenant_id, id, passed, failed, errored, skipped, usd, tokens)` to the counters of their suite runs,
 * which the transaction holds locked.
 */
export const addSums = (sums: RawBuilder<unknown>): RawBuilder<OpenSuiteRun> => sql`
  update test_suite_runs r set
    passed_cases = r.passed_cases + d.passed, failed_cases = r.failed_cases + d.failed,
    errored_cases = r.errored_cases + d.errored, skipped_cases = r.skipped_cases + d.skipped,
    spent_usd = case when d.usd is null then r.spent_usd else coalesce(r.spent_usd, 0) + d.usd end,
    spent_tokens = r.spent_tokens + d.tokens,
    status = case when r.status = 'pending' then 'running' else r.status end, started_at = coalesce(r.started_at, now())
  from ${sums} where r.tenant_id = d.tenant_id and r.id = d.id
  returning r.tenant_id as "tenantId", r.run_id as "runId", r.id as "suiteRunId",
    r.total_cases - r.passed_cases - r.failed_cases - r.skipped_cases as open`;

/** Adds rows that were just inserted, and what was spent, to the counters of their suite runs, which the transaction holds locked. */
export async function countResults(
  em: EntityManager,
  rows: readonly NewRow[],
  spent: readonly Spent[] = [],
): Promise<OpenSuiteRun[]> {
  if (rows.length + spent.length === 0) return [];
  const sums = unnestUncounted(sumUp(rows, spent), deltaColumns, 'd');
  const answer = await sql<OpenSuiteRun>`${prepared} ${addSums(sums)}`.execute(em.getKysely());
  return answer.rows;
}

function sumUp(rows: readonly NewRow[], spent: readonly Spent[]): Delta[] {
  const deltas = new Map<string, Delta>();
  const deltaOf = ({ tenantId, suiteRunId }: Pick<NewRow, 'tenantId' | 'suiteRunId'>): Delta => {
    const key = `${tenantId} ${suiteRunId}`;
    const none = { passed: 0, failed: 0, errored: 0, skipped: 0, usd: null, tokens: 0 };
    const delta = deltas.get(key) ?? { tenantId, id: suiteRunId, ...none };
    deltas.set(key, delta);
    return delta;
  };
  for (const { usd, tokens, ...of } of spent) {
    const delta = deltaOf(of);
    delta.usd = sumKnown([delta.usd, usd]);
    delta.tokens += tokens;
  }
  for (const { status, count = 1, ...of } of rows) {
    const delta = deltaOf(of);
    if (status === 'passed') delta.passed += count;
    if (status === 'failed' || status === 'error') delta.failed += count;
    if (status === 'error') delta.errored += count;
    if (status === 'skipped') delta.skipped += count;
  }
  return [...deltas.values()];
}

/** Completes the suite runs that have nothing open, and leaves a job for the verdict of each. */
export async function finishEmptySuiteRuns(
  em: EntityManager,
  suiteRuns: readonly OpenSuiteRun[],
): Promise<FinishedSuiteRun[]> {
  const empty = suiteRuns
    .filter(({ open }) => open === 0)
    .map(({ tenantId, suiteRunId }) => ({ tenantId, id: suiteRunId }));
  return endSuiteRuns(em, empty, { status: 'completed', reason: null });
}

interface FinalStatus {
  status: 'completed' | 'failed' | 'cancelled';
  reason: string | null;
}

/**
 * Gives the suite runs, which the transaction holds locked, their final status; one that has it already is left alone, and
 * so is one of which rows are still to be written, unless it is cancelled.
 */
export async function endSuiteRuns(
  em: EntityManager,
  keys: readonly RowKey[],
  { status, reason }: FinalStatus,
): Promise<FinishedSuiteRun[]> {
  if (keys.length === 0) return [];
  const kysely = em.getKysely();
  const { rows } = await sql<FinishedSuiteRun>`
    update test_suite_runs r
    set status = ${status}, failure_reason = ${reason}, error_message = ${errorMessage(status, reason)}, started_at = coalesce(r.started_at, now()), completed_at = now()
    where (r.tenant_id, r.id) in ${keysOf(keys)} and r.status in ('pending', 'running')
      and (r.unwritten_cases = 0 or ${status} = 'cancelled')
    returning r.tenant_id as "tenantId", r.run_id as "runId", r.id as "suiteRunId"`.execute(kysely);
  if (rows.length === 0) return [];
  await countDown(em, rows);
  // A cancelled suite run is judged by nobody.
  if (status !== 'cancelled') await askForVerdicts(em, rows);
  return rows;
}

/** Why it was aborted, for people; null where it came to its end. */
function errorMessage(status: FinalStatus['status'], reason: string | null) {
  if (status === 'completed') return sql`null::text`;
  const why =
    status === 'failed' ? 'Its time was over' : reason === null ? 'It was cancelled' : `It was cancelled (${reason})`;
  return sql`${why}::text || format(' when %s of %s test runs were judged', r.passed_cases + r.failed_cases - r.errored_cases, r.total_cases)`;
}

const finishedColumns: Columns<FinishedSuiteRun> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  run_id: { type: 'uuid', of: ({ runId }) => runId },
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
};

async function countDown(em: EntityManager, finished: readonly FinishedSuiteRun[]): Promise<void> {
  await sql`
    with ended as (
      select tenant_id, run_id as id, count(*)::int as ended from ${unnest(finished, finishedColumns, 'f')} group by 1, 2),
    pick as (
      select r.tenant_id, r.id from runs r where (r.tenant_id, r.id) in (select tenant_id, id from ended)
      order by r.id for no key update)
    update runs r
    set open_suite_runs = r.open_suite_runs - e.ended, started_at = coalesce(r.started_at, now()),
      status = case when r.status = 'pending' then 'running' else r.status end
    from ended e join pick using (tenant_id, id) where r.tenant_id = e.tenant_id and r.id = e.id`.execute(
    em.getKysely(),
  );
}

async function askForVerdicts(em: EntityManager, finished: readonly FinishedSuiteRun[]): Promise<void> {
  await sql`
    insert into outbox (tenant_id, kind, dedupe_key, run_id, suite_run_id)
    select tenant_id, 'finish-suite-run', suite_run_id::text, run_id, suite_run_id
    from ${unnest(finished, finishedColumns, 'f')} on conflict (tenant_id, kind, dedupe_key) do nothing`.execute(
    em.getKysely(),
  );
}
