import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FinishedSuiteRun } from './count-results.ts';
import { decideEnds } from './end-suite-runs.ts';
import { writeEnded } from './write-ended.ts';

const runsOfPass = 20;

/**
 * Ends suite runs past their deadline: what is open becomes `error/lost`, the suite run `failed` for the reason `deadline`.
 * Also writes what is still to be written of all that was decided elsewhere.
 */
export async function closeOverdue(database: Database): Promise<FinishedSuiteRun[]> {
  const decided = await retryConflicts(() =>
    asWorker(database, async (em) => {
      // Whole runs, so that both sides of a pair end together.
      const { rows } = await sql<RowKey>`
        with overdue as (
          select distinct run_id from test_suite_runs
          where status in ('pending', 'running') and ending is null and deadline_at < now() limit ${runsOfPass})
        select tenant_id as "tenantId", id from test_suite_runs
        where run_id in (select run_id from overdue) and status in ('pending', 'running') and ending is null
          and deadline_at < now()
        order by id for no key update skip locked`.execute(em.getKysely());
      const errorMessage = 'The deadline of the run passed before a result arrived';
      const closing = { status: 'error', errorKind: 'lost', errorMessage } as const;
      return await decideEnds(em, rows, { closing, status: 'failed', reason: 'deadline' });
    }),
  );
  const { finishedSuiteRuns } = await writeEnded(database);
  return [...decided, ...finishedSuiteRuns];
}
