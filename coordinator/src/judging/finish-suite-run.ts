import type { EntityManager } from '@mikro-orm/postgresql';
import { chaosPoint } from '../database/chaos.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { completeRun } from '../ledger/complete-run.ts';
import { lockSuiteRuns } from '../ledger/lock-suite-runs.ts';
import { type FiredAlert, judgeSuite, storeNoVerdict } from './judge-suite.ts';
import { readSiblings, readSuiteRun, type SuiteRunToJudge } from './read-suite-run.ts';

export interface FinishedJob {
  /** `waiting`: another cell or side of the suite still runs; its own job will judge them all. */
  state: 'done' | 'waiting';
  /** The run that this completed. */
  completedRun: { tenantId: string; runId: string } | null;
  /** Of the verdicts that this job stored. */
  alerts: readonly FiredAlert[];
}

/**
 * Judges all cells of a suite when the last of its suite runs has ended, once however often it is asked; the last suite
 * of a run completes the run. A cancelled or vanished suite run needs no verdict.
 */
export async function finishSuiteRun(
  database: Database,
  { tenantId, suiteRunId }: { tenantId: string; suiteRunId: string },
): Promise<FinishedJob> {
  const done = await retryConflicts(() => asWorker(database, (em) => finish(em, { tenantId, id: suiteRunId })));
  await chaosPoint('after_finalize_commit');
  return done;
}

/** Ends a suite that cannot be judged with an error that says why, and with it the run that waits for its verdict. */
export async function giveUpSuiteRun(
  database: Database,
  { tenantId, suiteRunId }: { tenantId: string; suiteRunId: string },
  why: string,
): Promise<FinishedJob> {
  const judge = (em: EntityManager, siblings: readonly SuiteRunToJudge[]) => storeNoVerdict(em, siblings, why);
  return await retryConflicts(() => asWorker(database, (em) => finish(em, { tenantId, id: suiteRunId }, judge)));
}

async function finish(em: EntityManager, key: RowKey, judge: typeof judgeSuite = judgeSuite): Promise<FinishedJob> {
  const suiteRun = await readSuiteRun(em, key);
  if (suiteRun === null || suiteRun.status === 'cancelled') return { state: 'done', completedRun: null, alerts: [] };
  const siblings = await readSiblings(em, suiteRun);
  if (!siblings.every(hasEnded)) return { state: 'waiting', completedRun: null, alerts: [] };
  // Two jobs of one suite must not judge it at the same time; whoever comes second reads what the first has stored.
  await lockSuiteRuns(em, siblings);
  // The first may have asked for further trials while this one waited for the lock.
  const locked = await readSiblings(em, suiteRun);
  if (!locked.every(hasEnded)) return { state: 'waiting', completedRun: null, alerts: [] };
  const alerts = await judge(em, locked);
  const { tenantId, runId } = suiteRun;
  const isCompleted = await completeRun(em, { tenantId, id: runId });
  await chaosPoint('before_finalize_commit');
  return { state: 'done', completedRun: isCompleted ? { tenantId, runId } : null, alerts };
}

const hasEnded = ({ status }: SuiteRunToJudge): boolean => status !== 'pending' && status !== 'running';
