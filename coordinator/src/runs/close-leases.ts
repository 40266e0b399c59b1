import type { EntityManager } from '@mikro-orm/postgresql';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import { sql } from 'kysely';
import { countIn, type OpenSuiteRun } from './count-results.ts';
import { keysOf, type RowKey } from './row-key.ts';

/** How test runs end that nobody will run any more. */
export type Closing =
  | { status: 'skipped'; skipReason: string }
  | { status: 'error'; errorKind: ErrorKind; errorMessage: string };

/** What is closed: all that is open in suite runs, or single test runs. The transaction holds the suite runs locked. */
export type OpenTestRuns = { suiteRuns: readonly RowKey[] } | { queuedTestRuns: readonly RowKey[] };

interface NewRow {
  tenantId: string;
  suiteRunId: string;
  status: string;
}

/**
 * Closes open leases and writes their rows the way results are recorded. From then on the fence refuses whatever a
 * runner still sends. Returns the touched suite runs with what is left open in each.
 */
export async function closeLeases(em: EntityManager, what: OpenTestRuns, closing: Closing): Promise<OpenSuiteRun[]> {
  const chosen =
    'suiteRuns' in what
      ? sql`(l.tenant_id, l.suite_run_id) in ${keysOf(what.suiteRuns)} and l.state in ('queued', 'leased')`
      : sql`(l.tenant_id, l.test_run_id) in ${keysOf(what.queuedTestRuns)} and l.state = 'queued'`;
  const isError = closing.status === 'error';
  const { rows } = await sql<NewRow>`
    with locked as (
      select l.* from test_run_leases l where ${chosen} order by l.test_run_id for update),
    closed as (
      update test_run_leases l set state = 'closed', work = null from locked k
      where l.tenant_id = k.tenant_id and l.test_run_id = k.test_run_id),
    ins as (
      insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, line, repetition, variant, resolved_variables, attempt, status, error_kind, error_message, skip_reason)
      select tenant_id, test_run_id, suite_run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, line, repetition, variant, resolved_variables, attempt, ${closing.status},
        ${isError ? closing.errorKind : null}, ${isError ? closing.errorMessage : null},
        ${isError ? null : closing.skipReason}
      from locked on conflict do nothing returning tenant_id, id, run_id, status),
    pay as (
      insert into test_case_payloads (tenant_id, id, work)
      select k.tenant_id, k.test_run_id, k.work from locked k join ins on ins.tenant_id = k.tenant_id and ins.id = k.test_run_id)
    select tenant_id as "tenantId", run_id as "suiteRunId", status from ins`.execute(em.getKysely());
  return countIn(em, rows);
}
