import type { CaseComparison, CaseStatus } from '@proofmark/contracts/verdict';
import type { Difficulty } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { readInTenant } from '../../database/transactions.ts';
import type { GraphqlContext } from '../context.ts';
import { byRow } from '../loaders.ts';
import { type CaseChange, caseChangeOf, isDifferent } from './case-differences.ts';

/** Which cases of a suite run; what is absent allows all. */
interface CaseFilter {
  onlyDifferent?: boolean | null | undefined;
  search?: string | null | undefined;
  change?: CaseChange | null | undefined;
  status?: CaseStatus | null | undefined;
  tag?: string | null | undefined;
  difficulty?: Difficulty | null | undefined;
  failedCheck?: string | null | undefined;
  /** Cases that the gate holds against the head. */
  flagged: readonly string[];
}

/** Whether a case is one of those that are asked for. What the verdict does not know is looked up, once for all. */
export async function caseFilter(
  context: GraphqlContext,
  suiteRunId: string,
  { onlyDifferent, search, change, status, tag = null, difficulty = null, failedCheck = null, flagged }: CaseFilter,
): Promise<(one: CaseComparison) => boolean> {
  const wanted = (search ?? '').toLowerCase();
  const broke = new Set(flagged);
  const isStored = tag !== null || difficulty !== null || failedCheck !== null;
  const named = isStored ? await namesOf(context, { suiteRunId, tag, difficulty, failedCheck }) : null;
  return (one) =>
    (onlyDifferent !== true || isDifferent(one)) &&
    (change == null || caseChangeOf(one, broke) === change) &&
    (status == null || one.headStatus === status) &&
    one.caseName.toLowerCase().includes(wanted) &&
    (named === null || named.has(one.caseName));
}

interface NamesQuestion {
  suiteRunId: string;
  tag: string | null;
  difficulty: string | null;
  failedCheck: string | null;
}

/** The names of the cases of a suite run with this tag, this difficulty and a failed check of this type. */
const namesOf = byRow(async (database, tenantId, questions: readonly NamesQuestion[]) => {
  const texts = (key: keyof NamesQuestion) => questions.map((question) => question[key]);
  const rows = await readInTenant(
    database,
    tenantId,
    sql<{ at: number; caseName: string }>`
      select distinct q.at::int as at, c.case_name as "caseName"
      from unnest(${texts('suiteRunId')}::uuid[], ${texts('tag')}::text[], ${texts('difficulty')}::text[], ${texts('failedCheck')}::text[])
        with ordinality q(id, tag, difficulty, failed_check, at)
      join test_case_results c on c.run_id = q.id
      join test_cases t on t.tenant_id = c.tenant_id and t.id = c.test_case_id
      where (q.tag is null or q.tag = any(t.tags)) and (q.difficulty is null or t.difficulty = q.difficulty)
        and (q.failed_check is null or exists (
          select from jsonb_array_elements(c.check_results) r
          where r ->> 'checkType' = q.failed_check and r ->> 'status' in ('fail', 'error')))`,
  );
  const byQuestion = Map.groupBy(rows, ({ at }) => at);
  return questions.map((_, at) => new Set(byQuestion.get(at + 1)?.map(({ caseName }) => caseName)));
});
