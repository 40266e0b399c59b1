import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { closeChunks } from './close-chunks.ts';
import type { FinishedSuiteRun } from './count-results.ts';

/** Ends queued chunks whose task no broker would carry: they become `error/limit` instead of waiting for ever. */
export async function closeOversized(
  database: Database,
  chunks: readonly RowKey[],
  errorMessage: string,
): Promise<FinishedSuiteRun[]> {
  const { finishedSuiteRuns } = await retryConflicts(() =>
    asWorker(database, (em) => closeChunks(em, chunks, { status: 'error', errorKind: 'limit', errorMessage })),
  );
  return finishedSuiteRuns;
}
