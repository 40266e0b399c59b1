import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeDecided, decideClosing } from './close-suite-runs.ts';
import type { FinishedSuiteRun } from './count-results.ts';
import type { RowKey } from './row-key.ts';

const perPass = 20;

/**
 * Ends suite runs past their deadline: what is open becomes `error/lost`, the suite run `failed` for the reason `deadline`.
 * Also closes whatever else was decided and is left over.
 */
export async function closeOverdue(database: Database): Promise<FinishedSuiteRun[]> {
  await retryConflicts(() =>
    asWorker(database, async (em) => {
      const { rows } = await sql<RowKey>`
        select tenant_id as "tenantId", id from test_suite_runs
        where status in ('pending', 'running') and closing is null and deadline_at < now()
        order by id limit ${perPass} for no key update skip locked`.execute(em.getKysely());
      const errorMessage = 'The deadline of the run passed before a result arrived';
      const end = { status: 'failed', reason: 'deadline' } as const;
      await decideClosing(em, rows, { status: 'error', errorKind: 'lost', errorMessage, end });
    }),
  );
  return await closeDecided(database);
}
