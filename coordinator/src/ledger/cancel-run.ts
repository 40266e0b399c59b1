import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Caller, mayDo } from '../access/caller.ts';
import { noteDeed } from '../database/acting.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import { decideEnds } from './end-suite-runs.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { bumpFeedback } from './want-feedback.ts';
import { writeEnded } from './write-ended.ts';

/** Why a run was ended from outside. */
export type CancelReason = 'cancelled' | 'superseded' | 'closed' | 'dequeued';

/** What the checks say of it where nobody says it more exactly. */
const usualWords: Record<CancelReason, string | null> = {
  cancelled: null,
  superseded: 'Superseded by a newer commit',
  closed: 'pull request closed',
  dequeued: 'taken out of the merge queue',
};

export interface CancelledRun {
  id: string;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** False: the run had ended before, or other jobs wait for it, and it goes on. */
  changed: boolean;
}

export type CancelAnswer = { ok: true; run: CancelledRun } | { ok: false; error: { code: 'NOT_FOUND' | 'FORBIDDEN' } };

/** Ends a run for a caller who may write it. When this resolves, no result that arrives later counts. */
export async function cancelRun(database: Database, caller: Caller, runId: string): Promise<CancelAnswer> {
  const answer = await retryConflicts(() =>
    inTenant(database, caller.tenantId, async (em): Promise<CancelAnswer> => {
      const run = await findRun(em, { tenantId: caller.tenantId, id: runId });
      if (run === null) return { ok: false, error: { code: 'NOT_FOUND' } };
      if (!mayWrite(caller, run)) return { ok: false, error: { code: 'FORBIDDEN' } };
      const held = await hold(em, run);
      const left = await leave(em, caller, held);
      if (left !== null) return { ok: true, run: { id: runId, status: left, changed: false } };
      const cancelled = await cancel(em, held, 'cancelled', await whoCancels(em, caller));
      if (cancelled.changed)
        await noteDeed(em.getKysely(), { tenantId: caller.tenantId, action: 'cancelled', subject: 'run', name: runId });
      return { ok: true, run: cancelled };
    }),
  );
  if (answer.ok) await beginToWrite(database, { tenantId: caller.tenantId, id: runId });
  return answer;
}

/** Ends a run because of what happened elsewhere: a newer head, a closed pull request. Null when there is no such run. */
export async function cancelRunFor(
  database: Database,
  reason: CancelReason,
  run: RowKey,
  words: string | null = usualWords[reason],
): Promise<CancelledRun | null> {
  const cancelled = await retryConflicts(() =>
    asWorker(database, async (em) => {
      const found = await findRun(em, run);
      return found === null ? null : cancel(em, await hold(em, found), reason, words);
    }),
  );
  if (cancelled !== null) await beginToWrite(database, run);
  return cancelled;
}

/** One step, which is all of a small run; the loops do the rest of a large one. */
const beginToWrite = (database: Database, run: RowKey) => writeEnded(database, { run, steps: 1 });

interface FoundRun extends RowKey {
  status: string;
  repositoryId: string | null;
  workflowRunId: string | null;
  jobs: readonly string[];
}

async function findRun(em: EntityManager, { tenantId, id }: RowKey): Promise<FoundRun | null> {
  const { rows } = await sql<FoundRun>`
    select tenant_id as "tenantId", id, status, repository_id as "repositoryId", trigger ->> 'workflowRunId' as "workflowRunId",
      jobs
    from runs where tenant_id = ${tenantId} and id = ${id}`.execute(em.getKysely());
  return rows[0] ?? null;
}

/**
 * The token of a CI job reaches the runs of its own workflow run and those that it has joined; an API token those of its
 * repository, if it is bound to one.
 */
export function mayWrite(caller: Caller, run: Pick<FoundRun, 'repositoryId' | 'workflowRunId' | 'jobs'>): boolean {
  if (!mayDo(caller, 'runs:write')) return false;
  if (caller.repositoryId !== null && caller.repositoryId !== run.repositoryId) return false;
  if (caller.kind !== 'run') return true;
  const own = caller.claims?.workflowRunId;
  return own !== undefined && (own === run.workflowRunId || run.jobs.includes(own));
}

interface HeldRun extends RowKey {
  suiteRuns: readonly RowKey[];
}

/** Suite runs come before their run, also where the run is all that changes: who changes it may have to end them next. */
async function hold(em: EntityManager, { tenantId, id }: RowKey): Promise<HeldRun> {
  const { rows } = await sql<RowKey>`
    select tenant_id as "tenantId", id from test_suite_runs
    where tenant_id = ${tenantId} and run_id = ${id} order by id`.execute(em.getKysely());
  await lockSuiteRuns(em, rows);
  return { tenantId, id, suiteRuns: rows };
}

/** A cancelled job waits no longer. Null: nobody else does, so that the run is cancelled; else how it goes on. */
async function leave(em: EntityManager, { kind, claims }: Caller, { tenantId, id }: HeldRun) {
  if (kind !== 'run' || claims === null) return null;
  const { rows } = await sql<{ status: 'pending' | 'running' }>`
    update runs set jobs = array_remove(jobs, ${claims.workflowRunId})
    where tenant_id = ${tenantId} and id = ${id} and status in ('pending', 'running')
    returning case when cardinality(jobs) > 0 then status end as status`.execute(em.getKysely());
  return rows[0]?.status ?? null;
}

/** A job that is cancelled ends its own run; everybody else is named. */
async function whoCancels(em: EntityManager, { tenantId, userId, kind }: Caller): Promise<string> {
  if (kind === 'run') return 'job cancelled';
  const { rows } = await sql<{ login: string }>`
    select login from users where tenant_id = ${tenantId} and id = ${userId}`.execute(em.getKysely());
  return `by ${rows[0]?.login ?? 'somebody'}`;
}

/** The decision is all that somebody waits for: what follows from it is written afterwards. */
async function cancel(
  em: EntityManager,
  run: HeldRun,
  reason: CancelReason,
  words: string | null,
): Promise<CancelledRun> {
  const kysely = em.getKysely();
  const cancelled = await decideEnds(em, run.suiteRuns, {
    closing: { status: 'skipped', skipReason: reason },
    status: 'cancelled',
    reason: words,
  });
  if (cancelled.length > 0) await judgeRest(em, run);
  const { rows } = await sql<{ status: CancelledRun['status']; changed: boolean }>`
    with pick as (
      select tenant_id, id, status from runs where tenant_id = ${run.tenantId} and id = ${run.id} for no key update),
    changed as (
      update runs r set status = 'cancelled', conclusion = 'cancelled', completed_at = now()
      from pick p where r.tenant_id = p.tenant_id and r.id = p.id and p.status in ('pending', 'running')
      returning r.status)
    select coalesce((select status from changed), p.status) as status, exists (select 1 from changed) as changed
    from pick p`.execute(kysely);
  const ended = rows[0];
  if (ended === undefined) throw new Error(`run ${run.id} vanished while it was cancelled`);
  if (ended.changed) await bumpFeedback(em, run);
  return { id: run.id, ...ended };
}

/** What had ended before, and whose verdict waited for what is cancelled now, is judged by itself. */
async function judgeRest(em: EntityManager, run: RowKey): Promise<void> {
  await sql`
    update outbox o set state = 'due', next_try_at = now()
    from test_suite_runs s
    where s.tenant_id = o.tenant_id and s.id = o.suite_run_id and s.verdict is null and s.status in ('completed', 'failed')
      and o.tenant_id = ${run.tenantId} and o.run_id = ${run.id} and o.kind = 'finish-suite-run' and o.state = 'done'`.execute(
    em.getKysely(),
  );
}
