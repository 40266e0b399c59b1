import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import { planRejudging } from '@proofmark/domain/plan-rejudging';
import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { fleetsOf } from '../ledger/fleet.ts';
import type { NewTestRun } from '../ledger/new-test-run.ts';
import { storeTestRuns } from '../ledger/store-test-runs.ts';
import { type AskedCase, readAskedCases } from './asked-cases.ts';
import { type AnswerRow, readStoredAnswers } from './read-stored-answers.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

interface Rejudging {
  /** Of the head. */
  suiteRun: SuiteRunToJudge;
  /** The suite run of the base that it is compared with. */
  baseId: string;
}

/** So many cases at once, because their conversations may be long. */
const casesPerBatch = 50;

/**
 * Adds a suite run of the same run in which the head's judge judges what the base said in its own run: no agent is asked.
 * Cases of which an answer is not kept whole are left out, since the rest would be a chosen sample. False when nothing
 * can be judged again.
 */
export async function scheduleRejudging(em: EntityManager, { suiteRun, baseId }: Rejudging): Promise<boolean> {
  const { tenantId, runId } = suiteRun;
  const fleets = await fleetsOf(em);
  const cases = await readAskedCases(em, suiteRun);
  const added = { suiteRunId: null as string | null, total: 0 };
  for (let start = 0; start < cases.length; start += casesPerBatch) {
    const batch = cases.slice(start, start + casesPerBatch);
    const answers = await readStoredAnswers(em, { suiteRun, baseId, cases: batch });
    const found = batch.flatMap((one) => judgedAnew(one, answers));
    if (found.length === 0) continue;
    added.suiteRunId ??= await addSuiteRun(em, { suiteRun, baseId });
    const { suiteRunId } = added;
    if (suiteRunId === null) return false;
    added.total += found.length;
    // One more than there are, so that results that are there already do not end it before the last batch.
    await setTotal(em, { tenantId, id: suiteRunId }, added.total + 1);
    await storeTestRuns(em, { tenantId, runId, testRuns: found.map((one) => ({ ...one, suiteRunId })), fleets });
  }
  if (added.suiteRunId === null) return false;
  await setTotal(em, { tenantId, id: added.suiteRunId }, added.total);
  await storeTestRuns(em, { tenantId, runId, testRuns: [], fleets });
  return true;
}

/** The test runs in which the answers of one case are judged anew. The setting is the same: only such answers were read. */
function judgedAnew(head: AskedCase, answers: readonly AnswerRow[]): Omit<NewTestRun, 'suiteRunId'>[] {
  const { testCaseId, line, work: ofHead, ...shared } = head;
  const keyOf = (one: Pick<AskedCase, 'caseHash' | 'instrumentHash'>) =>
    comparabilityKey(one.caseHash, one.instrumentHash, '');
  const ofCase = answers
    .filter(({ caseKey }) => caseKey === head.caseKey)
    .map((answer) => ({ ...answer, comparabilityKey: keyOf(answer) }));
  return planRejudging({ work: ofHead, comparabilityKey: keyOf(head) }, ofCase).map(({ answer, work }) => ({
    ...{ id: randomUUID(), variant: 'baseline', testCaseId, line, pairKey: null },
    testRun: {
      ...{ ...shared, work, repetition: answer.repetition },
      ...{ resolvedVariables: work.resolvedVariables, decided: null },
    },
    ...(answer.taken === null ? {} : { taken: answer.taken }),
  }));
}

async function addSuiteRun(em: EntityManager, { suiteRun, baseId }: Rejudging): Promise<string | null> {
  const { tenantId, id, runId } = suiteRun;
  const { rows } = await sql<{ id: string }>`
    insert into test_suite_runs (tenant_id, suite_id, run_id, triggered_by, triggered_by_user_id, total_cases, suite_name,
      suite_path, agent_id, agent_name, agent_hash, setting_key, variant, purpose, pool, cell_key, cell, resolved_variables,
      settings, clusters, sort_order, deadline_at, taken_from)
    select h.tenant_id, h.suite_id, h.run_id, h.triggered_by, h.triggered_by_user_id, 1, h.suite_name,
      h.suite_path, b.agent_id, b.agent_name, b.agent_hash, h.setting_key, 'baseline', 'rejudge', h.pool, h.cell_key, h.cell,
      b.resolved_variables, h.settings, h.clusters, h.sort_order, now() + (h.deadline_at - h.created_at),
      jsonb_build_object('suiteRunId', b.id, 'runId', b.run_id, 'pullRequest', null, 'how', 'judged_again')
    from test_suite_runs h join test_suite_runs b on b.tenant_id = h.tenant_id and b.id = ${baseId}
    where h.tenant_id = ${tenantId} and h.id = ${id}
    on conflict do nothing returning id`.execute(em.getKysely());
  if (rows[0] === undefined) return null;
  await sql`
    update runs set open_suite_runs = open_suite_runs + 1 where tenant_id = ${tenantId} and id = ${runId}`.execute(
    em.getKysely(),
  );
  return rows[0].id;
}

async function setTotal(em: EntityManager, { tenantId, id }: RowKey, total: number): Promise<void> {
  await sql`
    update test_suite_runs set total_cases = ${total} where tenant_id = ${tenantId} and id = ${id}`.execute(
    em.getKysely(),
  );
}
