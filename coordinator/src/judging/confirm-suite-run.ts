import type { EntityManager } from '@mikro-orm/postgresql';
import { sidesOfCell } from '@proofmark/domain/judge-cells';
import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { noteDeed } from '../database/acting.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import { mayWrite } from '../ledger/cancel-run.ts';
import { lockSuiteRuns } from '../ledger/lock-suite-runs.ts';
import { bumpFeedback } from '../ledger/want-feedback.ts';
import { scheduleConfirmation } from './follow-up.ts';
import { readSiblings, readSuiteRun, type SuiteRunToJudge } from './read-suite-run.ts';

export type ConfirmAnswer =
  | { ok: true; suiteRunId: string }
  | { ok: false; error: { code: 'NOT_FOUND' | 'FORBIDDEN' } | { code: 'NOT_CONFIRMABLE'; message: string } };

/** Runs the cases of a suspicion again for a caller who may write its run; the run is open until they are judged. */
export async function confirmSuiteRun(database: Database, caller: Caller, suiteRunId: string): Promise<ConfirmAnswer> {
  const { tenantId } = caller;
  const owner = await inTenant(database, tenantId, (em) => readOwner(em, { tenantId, id: suiteRunId }));
  if (owner === null) return { ok: false, error: { code: 'NOT_FOUND' } };
  if (!mayWrite(caller, owner)) return { ok: false, error: { code: 'FORBIDDEN' } };
  return confirmSuspicion(database, { tenantId, id: suiteRunId });
}

/** The same for somebody whose right was checked elsewhere: whoever may press a button of the forge. */
export async function confirmSuspicion(database: Database, key: RowKey): Promise<ConfirmAnswer> {
  return retryConflicts(() => asWorker(database, (em) => reopen(em, key)));
}

async function readOwner(em: EntityManager, { tenantId, id }: RowKey) {
  const { rows } = await sql<{ repositoryId: string | null; workflowRunId: string | null; jobs: string[] }>`
    select r.repository_id as "repositoryId", r.trigger ->> 'workflowRunId' as "workflowRunId", r.jobs
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.id = ${id}`.execute(em.getKysely());
  return rows[0] ?? null;
}

const refused = (message: string): ConfirmAnswer => ({ ok: false, error: { code: 'NOT_CONFIRMABLE', message } });

async function reopen(em: EntityManager, key: RowKey): Promise<ConfirmAnswer> {
  const asked = await readSuiteRun(em, key);
  if (asked === null) return { ok: false, error: { code: 'NOT_FOUND' } };
  await lockSuiteRuns(em, await readSiblings(em, asked));
  const problem = await whyNot(em, asked);
  if (problem !== null) return refused(problem);
  if (!(await scheduleConfirmation(em, sidesOfCell(asked, await readSiblings(em, asked))))) {
    return refused('The base cannot be run again beside it, or it was confirmed before');
  }
  await openAgain(em, asked);
  await noteDeed(em.getKysely(), { tenantId: key.tenantId, action: 'confirmed', subject: 'suite-run', name: key.id });
  return { ok: true, suiteRunId: key.id };
}

async function whyNot(em: EntityManager, { tenantId, id, settings }: SuiteRunToJudge): Promise<string | null> {
  if (settings.gate.confirm === 'off') return 'The suite has switched confirmation off';
  const { rows } = await sql<{ verdict: string | null; status: string }>`
    select s.verdict, r.status from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.id = ${id}`.execute(em.getKysely());
  if (rows[0]?.verdict !== 'suspected') return 'Only a suspicion can be confirmed';
  return rows[0].status === 'cancelled' ? 'The run was cancelled' : null;
}

/** The rows of the first look stay as they are; its verdict is open until the fresh trials are in. */
async function openAgain(em: EntityManager, { tenantId, id, runId }: SuiteRunToJudge): Promise<void> {
  const kysely = em.getKysely();
  await sql`
    update test_suite_runs set verdict = null, verdict_detail = null where tenant_id = ${tenantId} and id = ${id}`.execute(
    kysely,
  );
  await sql`
    update runs set status = 'running', verdict = null, conclusion = null, completed_at = null,
      deadline_at = now() + (deadline_at - created_at)
    where tenant_id = ${tenantId} and id = ${runId}`.execute(kysely);
  await bumpFeedback(em, { tenantId, id: runId });
}
