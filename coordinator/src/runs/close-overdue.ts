import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeLeases } from './close-leases.ts';
import { endSuiteRuns, type FinishedSuiteRun } from './count-results.ts';
import type { RowKey } from './row-key.ts';

const perPass = 20;

/** Ends suite runs past their deadline: what is open becomes `error/lost`, the suite run `failed` for the reason `deadline`. */
export async function closeOverdue(database: Database): Promise<FinishedSuiteRun[]> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const { rows } = await sql<RowKey>`
        select tenant_id as "tenantId", id from test_suite_runs
        where status in ('pending', 'running') and deadline_at < now()
        order by id limit ${perPass} for no key update skip locked`.execute(em.getKysely());
      if (rows.length === 0) return [];
      const errorMessage = 'The deadline of the run passed before a result arrived';
      await closeLeases(em, { suiteRuns: rows }, { status: 'error', errorKind: 'lost', errorMessage });
      return endSuiteRuns(em, rows, { status: 'failed', reason: 'deadline' });
    }),
  );
}
