import type { EntityManager } from '@mikro-orm/postgresql';
import type { Verdict } from '@proofmark/contracts/verdict';
import { decideVerdict } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { chaosPoint } from '../chaos.ts';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { storableJson } from '../database/storable.ts';
import { caseWindows, historyTrials, pooledTrials, trialsOf } from './collect-trials.ts';
import { completeRun } from './complete-run.ts';
import { findBaselineRun } from './find-baseline-run.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { readSuiteRun, type SuiteRunToJudge } from './read-suite-run.ts';
import type { RowKey } from './row-key.ts';
import { updateFlakiness } from './update-flakiness.ts';

export interface FinishedJob {
  /** `waiting`: something that the verdict needs is still running; ask again. */
  state: 'done' | 'waiting';
  /** The run that this completed. */
  completedRun: { tenantId: string; runId: string } | null;
}

/**
 * Judges a suite run that has ended and stores the verdict, once however often it is asked; the last one of a run
 * completes the run. A cancelled or vanished suite run needs no verdict.
 */
export async function finishSuiteRun(
  database: Database,
  { tenantId, suiteRunId }: { tenantId: string; suiteRunId: string },
): Promise<FinishedJob> {
  const done = await retryConflicts(() => asWorker(database, (em) => finish(em, { tenantId, id: suiteRunId })));
  await chaosPoint('after_finalize_commit');
  return done;
}

async function finish(em: EntityManager, key: RowKey): Promise<FinishedJob> {
  const suiteRun = await readSuiteRun(em, key);
  if (suiteRun === null || suiteRun.status === 'cancelled') return { state: 'done', completedRun: null };
  if (!(await isReady(em, suiteRun))) return { state: 'waiting', completedRun: null };
  if (suiteRun.variant !== 'baseline' && !suiteRun.isJudged) await judge(em, suiteRun);
  const { tenantId, runId } = suiteRun;
  const isCompleted = await completeRun(em, { tenantId, id: runId });
  await chaosPoint('before_finalize_commit');
  return { state: 'done', completedRun: isCompleted ? { tenantId, runId } : null };
}

/** It has ended, and so has the baseline that runs beside it. */
async function isReady(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<boolean> {
  if (suiteRun.status === 'pending' || suiteRun.status === 'running') return false;
  const beside = await besideOf(em, suiteRun);
  return beside === null || !beside.isOpen;
}

interface Beside {
  id: string;
  agentHash: string;
  isOpen: boolean;
}

async function besideOf(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<Beside | null> {
  if (suiteRun.variant !== 'candidate') return null;
  const { rows } = await sql<Beside>`
    select id, agent_hash as "agentHash", status in ('pending', 'running') as "isOpen" from test_suite_runs
    where tenant_id = ${suiteRun.tenantId} and run_id = ${suiteRun.runId} and suite_id = ${suiteRun.suiteId}
      and cell_key = ${suiteRun.cellKey} and variant = 'baseline'`.execute(em.getKysely());
  return rows[0] ?? null;
}

async function judge(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<void> {
  const { tenantId, id } = suiteRun;
  const beside = await besideOf(em, suiteRun);
  const stored = await findBaselineRun(em, suiteRun);
  const head = [...(await trialsOf(em, tenantId, id)), ...(await pooledTrials(em, suiteRun))];
  const agentHash = beside?.agentHash ?? stored?.agentHash;
  const base = beside?.id ?? stored?.suiteRunId;
  const verdict = decideVerdict({
    head,
    base: base === undefined ? null : await trialsOf(em, tenantId, base),
    history:
      agentHash === undefined || base === undefined
        ? []
        : await historyTrials(em, { suiteRun, agentHash, without: [id, base] }),
    windows: await caseWindows(em, suiteRun),
    settings: suiteRun.settings,
  });
  await storeVerdict(em, suiteRun, verdict, stored?.suiteRunId ?? null);
}

async function storeVerdict(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  verdict: Verdict,
  baselineSuiteRunId: string | null,
): Promise<void> {
  const { tenantId, id, suiteId, cellKey, headSha, agentHash } = suiteRun;
  const kysely = em.getKysely();
  await lockSuiteRuns(em, [{ tenantId, id }]);
  const { rows } = await sql`
    update test_suite_runs
    set verdict = ${verdict.word}, verdict_detail = ${storableJson(verdict)}, baseline_suite_run_id = ${baselineSuiteRunId}
    where tenant_id = ${tenantId} and id = ${id} and verdict is null returning id`.execute(kysely);
  const hasTrials = verdict.cases.some(({ head }) => head !== null && head.passed + head.failed > 0);
  const isEligible = suiteRun.isBase && suiteRun.status === 'completed' && suiteRun.variant === 'head' && hasTrials;
  if (rows.length === 0 || !isEligible || headSha === null) return;
  await updateFlakiness(em, suiteRun);
  // A commit that is run again, by a schedule for instance, has its newest run as baseline.
  await sql`
    insert into baselines (tenant_id, suite_id, cell_key, commit_sha, suite_run_id, agent_hash)
    values (${tenantId}, ${suiteId}, ${cellKey}, ${headSha}, ${id}, ${agentHash})
    on conflict (tenant_id, suite_id, cell_key, commit_sha) do update
      set suite_run_id = excluded.suite_run_id, agent_hash = excluded.agent_hash, created_at = now()`.execute(kysely);
}
