import type { EntityManager } from '@mikro-orm/postgresql';
import { ResolvedVariables } from '@proofmark/contracts/variables';
import type { AskedSide } from '@proofmark/domain/plan-fresh-trials';
import { sql } from 'kysely';
import { z } from 'zod';
import { joinPlan, plannedWork, StoredWork } from '../ledger/work-parts.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

const AskedCase = z.object({
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

/** A case with what a runner of the run was given for it. */
export type AskedCase = z.infer<typeof AskedCase>;

/** The cases of a suite run that were given to runners, once each, in the order of the suite. */
export async function readAskedCases(em: EntityManager, { tenantId, id }: SuiteRunToJudge): Promise<AskedCase[]> {
  const { rows } = await sql`
    select distinct on (c.sort_order, c.test_case_id) c.test_case_id as "testCaseId", c.case_name as "caseName",
      c.case_key as "caseKey", c.case_hash as "caseHash", c.instrument_hash as "instrumentHash",
      c.sort_order as "sortOrder", c.line, c.resolved_variables as "resolvedVariables", ${plannedWork} as work, r.run_seed as "runSeed"
    from test_case_results c ${joinPlan('c')}
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where c.tenant_id = ${tenantId} and c.run_id = ${id} and pl.test_run_id is not null
    order by c.sort_order, c.test_case_id, c.repetition`.execute(em.getKysely());
  return z.array(AskedCase).parse(rows);
}

export const readAskedSide = async (em: EntityManager, suiteRun: SuiteRunToJudge): Promise<AskedSide<AskedCase>> => ({
  cases: await readAskedCases(em, suiteRun),
  repetitions: await lastRepetition(em, [suiteRun]),
});

/** The highest repetition of any case in these suite runs. */
export async function lastRepetition(em: EntityManager, suiteRuns: readonly SuiteRunToJudge[]): Promise<number> {
  const ids = suiteRuns.map(({ id }) => id);
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(repetition), 0)::int as last from test_case_results
    where tenant_id = ${suiteRuns[0]?.tenantId ?? null} and run_id = any(${ids}::uuid[])`.execute(em.getKysely());
  return rows[0]?.last ?? 0;
}
