import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { trialSeed } from '@proofmark/contracts/content-hash';
import { ResolvedVariables } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import { z } from 'zod';
import { fleetsOf } from '../ledger/fleet.ts';
import type { NewTestRun } from '../ledger/new-test-run.ts';
import { storeTestRuns } from '../ledger/store-test-runs.ts';
import { joinPlan, plannedWork, StoredWork } from '../ledger/work-parts.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

export interface Rerun {
  /** The suite run whose cases run again. */
  of: SuiteRunToJudge;
  purpose: 'confirm' | 'drift';
  /** Repetitions that no trial of the run has had yet, so that no seed comes twice. */
  repetitions: readonly number[];
}

const Row = z.object({
  testCaseId: z.string(),
  caseName: z.string(),
  caseKey: z.string(),
  caseHash: z.string(),
  instrumentHash: z.string(),
  sortOrder: z.number(),
  line: z.number().nullable(),
  resolvedVariables: ResolvedVariables.nullable(),
  work: StoredWork,
  runSeed: z.string(),
});

interface PreparedRerun extends Rerun {
  cases: z.infer<typeof Row>[];
}

/**
 * Adds suite runs of the same run in which the cases of others run again, as they were executed there. Sides that belong
 * together are added together, so that their pairs travel together. False when one of them has nothing that could run
 * again, or runs again already.
 */
export async function scheduleReruns(em: EntityManager, reruns: readonly Rerun[]): Promise<boolean> {
  const prepared: PreparedRerun[] = [];
  for (const rerun of reruns) prepared.push({ ...rerun, cases: await readExecuted(em, rerun.of) });
  const [any] = prepared;
  if (any === undefined || prepared.some(({ cases, repetitions }) => cases.length * repetitions.length === 0))
    return false;
  const { tenantId, runId } = any.of;
  const testRuns: NewTestRun[] = [];
  for (const rerun of prepared) {
    const { of: suiteRun, purpose, cases, repetitions } = rerun;
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
    update runs set open_suite_runs = open_suite_runs + ${prepared.length}
    where tenant_id = ${tenantId} and id = ${runId}`.execute(em.getKysely());
  return true;
}

/** The cases with what the runner was given, once each. */
async function readExecuted(em: EntityManager, { tenantId, id }: SuiteRunToJudge): Promise<z.infer<typeof Row>[]> {
  const { rows } = await sql`
    select distinct on (c.sort_order, c.test_case_id) c.test_case_id as "testCaseId", c.case_name as "caseName",
      c.case_key as "caseKey", c.case_hash as "caseHash", c.instrument_hash as "instrumentHash",
      c.sort_order as "sortOrder", c.line, c.resolved_variables as "resolvedVariables", ${plannedWork} as work, r.run_seed as "runSeed"
    from test_case_results c ${joinPlan('c')}
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where c.tenant_id = ${tenantId} and c.run_id = ${id} and pl.test_run_id is not null
    order by c.sort_order, c.test_case_id, c.repetition`.execute(em.getKysely());
  return z.array(Row).parse(rows);
}

async function copySuiteRun(
  em: EntityManager,
  { tenantId, id }: SuiteRunToJudge,
  purpose: Rerun['purpose'],
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
  purpose: Rerun['purpose'];
}

function testRunOf({ runSeed, work, ...one }: z.infer<typeof Row>, place: Place): NewTestRun {
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
      work: { ...work, repetition, seed: trialSeed(runSeed, one.caseKey, repetition) },
      decided: null,
    },
  };
}
