import { type RawBuilder, sql } from 'kysely';

/** A row that was written for a test run that did not run. */
export interface WrittenRow {
  tenantId: string;
  suiteRunId: string;
  status: string;
}

/**
 * SQL that ends open test runs without a result: writes their rows, and settles their places; what has nothing open then is
 * closed. `lost (tenant_id, chunk_id, attempt, test_run_id, at, closing)` chooses them, out of chunks that it locks.
 */
export const writeRows = (lost: RawBuilder<unknown>): RawBuilder<WrittenRow> => sql<WrittenRow>`
  with ${lost},
  ins as (
    insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
      sort_order, line, repetition, variant, resolved_variables, attempt, status, error_kind, error_message, skip_reason)
    select p.tenant_id, p.test_run_id, p.suite_run_id, p.test_case_id, p.case_name, p.case_key, p.case_hash,
      p.instrument_hash, p.sort_order, p.line, p.repetition, p.variant, p.resolved_variables, l.attempt,
      l.closing ->> 'status', l.closing ->> 'errorKind', l.closing ->> 'errorMessage', l.closing ->> 'skipReason'
    from lost l cross join lateral (
      select * from planned_test_runs p where p.tenant_id = l.tenant_id and p.test_run_id = l.test_run_id offset 0) p
    on conflict do nothing returning tenant_id, run_id, status),
  shut as (
    update chunks c set settled = c.settled | d.places, open_count = c.open_count - d.count,
      state = case when c.open_count = d.count then 'closed' else c.state end,
      body = case when c.open_count = d.count then null else c.body end
    from (select tenant_id, chunk_id, bit_or(1::bigint << at) as places, count(*)::int as count from lost group by 1, 2) d
    where c.tenant_id = d.tenant_id and c.id = d.chunk_id)
  select tenant_id as "tenantId", run_id as "suiteRunId", status from ins`;
