import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { type FinishedSuiteRun, finishEmptySuiteRuns, type OpenSuiteRun } from './count-results.ts';

export interface Forgotten {
  finishedSuiteRuns: FinishedSuiteRun[];
  /** Suite runs whose counters differ from their rows. That is a bug: it is reported and never repaired silently. */
  miscounted: RowKey[];
}

const perPass = 100;

/** Completes suite runs that have nothing open and yet did not end, and looks for counters that are wrong. */
export async function finaliseForgotten(database: Database): Promise<Forgotten> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const kysely = em.getKysely();
      const empty = await sql<OpenSuiteRun>`
        select tenant_id as "tenantId", run_id as "runId", id as "suiteRunId", 0 as open from test_suite_runs
        where status in ('pending', 'running') and total_cases = passed_cases + failed_cases + skipped_cases
          and unwritten_cases = 0
        order by id limit ${perPass} for no key update skip locked`.execute(kysely);
      const finishedSuiteRuns = await finishEmptySuiteRuns(em, empty.rows);
      const miscounted = await sql<RowKey>`
        select r.tenant_id as "tenantId", r.id from test_suite_runs r
        cross join lateral (
          select count(*) filter (where c.status = 'passed') as passed,
            count(*) filter (where c.status in ('failed', 'error')) as failed,
            count(*) filter (where c.status = 'error') as errored,
            count(*) filter (where c.status = 'skipped') as skipped
          from test_case_results c where c.tenant_id = r.tenant_id and c.run_id = r.id) c
        where r.completed_at > now() - interval '5 minutes' and r.unwritten_cases = 0
          and (r.passed_cases, r.failed_cases, r.errored_cases, r.skipped_cases)
            is distinct from (c.passed, c.failed, c.errored, c.skipped)
        limit ${perPass}`.execute(kysely);
      return { finishedSuiteRuns, miscounted: miscounted.rows };
    }),
  );
}
