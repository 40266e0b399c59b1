import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type FreshTrials, freshWork } from '@proofmark/domain/plan-fresh-trials';
import { sql } from 'kysely';
import { fleetsOf } from '../ledger/fleet.ts';
import type { NewTestRun } from '../ledger/new-test-run.ts';
import { storeTestRuns } from '../ledger/store-test-runs.ts';
import type { AskedCase } from './asked-cases.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

type Purpose = 'confirm' | 'drift';

export interface Rerun {
  /** The suite run whose cases run again. */
  of: SuiteRunToJudge;
  fresh: FreshTrials<AskedCase>;
}

/**
 * Adds suite runs of the same run in which the cases of others run again, as they were executed there. Sides that belong
 * together are added together, so that their pairs travel together. False when one of them runs again already.
 */
export async function scheduleReruns(
  em: EntityManager,
  purpose: Purpose,
  [any, ...others]: readonly [Rerun, ...Rerun[]],
): Promise<boolean> {
  const reruns = [any, ...others];
  const { tenantId, runId } = any.of;
  const testRuns: NewTestRun[] = [];
  for (const { of: suiteRun, fresh } of reruns) {
    const { cases, repetitions } = fresh;
    const suiteRunId = await copySuiteRun(em, suiteRun, purpose, cases.length * repetitions.length);
    if (suiteRunId === null && testRuns.length === 0) return false;
    if (suiteRunId === null) throw new Error(`only one side of ${suiteRun.id} runs again already`);
    testRuns.push(
      ...repetitions.flatMap((repetition) =>
        cases.map((one) => testRunOf(one, { suiteRunId, suiteRun, repetition, purpose })),
      ),
    );
  }
  await storeTestRuns(em, { tenantId, runId, testRuns, fleets: await fleetsOf(em) });
  await sql`
    update runs set open_suite_runs = open_suite_runs + ${reruns.length}
    where tenant_id = ${tenantId} and id = ${runId}`.execute(em.getKysely());
  return true;
}

async function copySuiteRun(
  em: EntityManager,
  { tenantId, id }: SuiteRunToJudge,
  purpose: Purpose,
  testRuns: number,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    insert into test_suite_runs (tenant_id, suite_id, run_id, triggered_by, triggered_by_user_id, total_cases, suite_name,
      suite_path, agent_id, agent_name, agent_snapshot_id, agent_hash, setting_key, variant, purpose, pool, cell_key, cell,
      resolved_variables, settings, clusters, sort_order, deadline_at)
    select tenant_id, suite_id, run_id, triggered_by, triggered_by_user_id, ${testRuns}::int, suite_name,
      suite_path, agent_id, agent_name, agent_snapshot_id, agent_hash, setting_key, variant, ${purpose}, pool, cell_key, cell,
      resolved_variables, settings, clusters, sort_order, now() + (deadline_at - created_at)
    from test_suite_runs where tenant_id = ${tenantId} and id = ${id}
    on conflict do nothing returning id`.execute(em.getKysely());
  return rows[0]?.id ?? null;
}

interface Place {
  suiteRunId: string;
  suiteRun: SuiteRunToJudge;
  repetition: number;
  purpose: Purpose;
}

function testRunOf({ runSeed, work, ...one }: AskedCase, place: Place): NewTestRun {
  const { suiteRunId, suiteRun, repetition, purpose } = place;
  const { testCaseId, line, resolvedVariables, ...shared } = one;
  // Both sides of a confirmation travel together; a base that runs alone has no partner.
  const pair = `${suiteRun.suiteId} ${suiteRun.cellKey} ${one.sortOrder} ${repetition}`;
  return {
    id: randomUUID(),
    suiteRunId,
    variant: suiteRun.variant,
    testCaseId,
    line,
    pairKey: purpose === 'confirm' ? pair : null,
    testRun: {
      ...shared,
      repetition,
      resolvedVariables,
      work: freshWork(work, { runSeed, caseKey: one.caseKey, repetition }),
      decided: null,
    },
  };
}
