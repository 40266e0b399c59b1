import type { EntityManager } from '@mikro-orm/postgresql';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import { type RawBuilder, sql } from 'kysely';
import { countIn, type Ending, type OpenSuiteRun } from './count-results.ts';
import { keysOf, type RowKey } from './row-key.ts';

/** How test runs end that nobody will run any more. */
export type Closing =
  | { status: 'skipped'; skipReason: string }
  | { status: 'error'; errorKind: ErrorKind; errorMessage: string };

/** Stays in the row of a suite run until nothing of it is open: how its test runs end, and then it. */
export type DecidedClosing = Closing & {
  /** Null: the suite run itself has ended already. */
  end: Ending | null;
};

interface NewRow {
  tenantId: string;
  suiteRunId: string;
  status: string;
}

/** Closes those of the test runs that are still queued. The transaction holds their suite runs locked. */
export async function closeQueued(
  em: EntityManager,
  testRuns: readonly RowKey[],
  closing: Closing,
): Promise<OpenSuiteRun[]> {
  const chosen = sql`
    select l.tenant_id, l.test_run_id, ${JSON.stringify(closing)}::jsonb as closing from test_run_leases l
    where (l.tenant_id, l.test_run_id) in ${keysOf(testRuns)} and l.state = 'queued'`;
  return closeLeases(em, chosen);
}

/** Closes so many of what is open in suite runs, in the way that was decided for each. The transaction holds them locked. */
export async function closeOpenOf(
  em: EntityManager,
  suiteRuns: readonly RowKey[],
  most: number,
): Promise<OpenSuiteRun[]> {
  const chosen = sql`
    select l.tenant_id, l.test_run_id, r.closing from test_run_leases l
    join test_suite_runs r on r.tenant_id = l.tenant_id and r.id = l.suite_run_id
    where (l.tenant_id, l.suite_run_id) in ${keysOf(suiteRuns)} and l.state in ('queued', 'leased') limit ${most}`;
  return closeLeases(em, chosen);
}

/**
 * Closes leases and writes their rows the way results are recorded. From then on the fence refuses whatever a runner
 * still sends. Returns the touched suite runs with what is left open in each.
 */
async function closeLeases(em: EntityManager, chosen: RawBuilder<unknown>): Promise<OpenSuiteRun[]> {
  const { rows } = await sql<NewRow>`
    with chosen as (${chosen}),
    locked as (
      select l.*, c.closing from chosen c
      join test_run_leases l on l.tenant_id = c.tenant_id and l.test_run_id = c.test_run_id
      where l.state in ('queued', 'leased') order by l.test_run_id for update of l),
    closed as (
      update test_run_leases l set state = 'closed', work = null from locked k
      where l.tenant_id = k.tenant_id and l.test_run_id = k.test_run_id),
    ins as (
      insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, line, repetition, variant, resolved_variables, attempt, status, error_kind, error_message, skip_reason)
      select tenant_id, test_run_id, suite_run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, line, repetition, variant, resolved_variables, attempt, closing ->> 'status',
        closing ->> 'errorKind', closing ->> 'errorMessage', closing ->> 'skipReason'
      from locked on conflict do nothing returning tenant_id, id, run_id, status),
    pay as (
      insert into test_case_payloads (tenant_id, id, work)
      select k.tenant_id, k.test_run_id, k.work from locked k join ins on ins.tenant_id = k.tenant_id and ins.id = k.test_run_id)
    select tenant_id as "tenantId", run_id as "suiteRunId", status from ins`.execute(em.getKysely());
  return countIn(em, rows);
}
