import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeQueued } from './close-leases.ts';
import { type FinishedSuiteRun, finishEmptySuiteRuns } from './count-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { keysOf, type RowKey, uniqueKeys } from './row-key.ts';

/** Ends queued test runs whose task no broker would carry: they become `error/limit` instead of waiting for ever. */
export async function closeOversized(
  database: Database,
  testRuns: readonly RowKey[],
  errorMessage: string,
): Promise<FinishedSuiteRun[]> {
  return await retryConflicts(() =>
    asWorker(database, async (em) => {
      const { rows } = await sql<RowKey>`
        select l.tenant_id as "tenantId", l.suite_run_id as id from test_run_leases l
        where (l.tenant_id, l.test_run_id) in ${keysOf(testRuns)}`.execute(em.getKysely());
      await lockSuiteRuns(em, uniqueKeys(rows));
      const open = await closeQueued(em, testRuns, { status: 'error', errorKind: 'limit', errorMessage });
      return await finishEmptySuiteRuns(em, open);
    }),
  );
}
