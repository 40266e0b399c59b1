import type { EntityManager } from '@mikro-orm/postgresql';
import { CheckResult, MetricResult, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import { ErrorKind, TestRunStatus } from '@proofmark/contracts/error-kind';
import type { Verdict } from '@proofmark/contracts/verdict';
import { describeFailure, judgeReason } from '@proofmark/domain/failure-reasons';
import type { CaseReport } from '@proofmark/domain/run-report';
import { sql } from 'kysely';
import { z } from 'zod';
import { CaseRows } from '../database/json-columns.ts';
import { storedPayload } from '../ledger/incoming-results.ts';
import { rowOfCase } from '../ledger/row-stretches.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** As many as one check may remark on. */
const mostCases = 200;
/** More are never unfolded in a comment. */
const mostAnswers = 50;
const answerCharacters = 4_000;

const Row = z.object({
  case_name: z.string(),
  sort_order: z.number(),
  line: z.number().nullable(),
  status: TestRunStatus,
  error_kind: ErrorKind.nullable(),
  error_message: z.string().nullable(),
  check_results: z.array(CheckResult).nullable(),
  metric_results: z.array(MetricResult).nullable(),
  tools_matched: z.boolean().nullable(),
  tool_problems: z.array(z.string()).nullable(),
  unmatched_calls: z.array(z.string()).nullable(),
  outcomes: OutcomesVerdict.nullable(),
  head_answer: z.string().nullable(),
  base_answer: z.string().nullable(),
  head_tools: z.array(z.string()).nullable(),
  base_tools: z.array(z.string()).nullable(),
});
type Row = z.infer<typeof Row>;

type ShownOf = Pick<SuiteRunToJudge, 'tenantId' | 'id'>;

/**
 * The failing cases that comment, checks and annotations of a suite run name, in the order of the file: those that the verdict
 * is about come before others. Chosen once, because what is shown must not cost more the more has failed.
 */
export async function chooseShownCases(
  em: EntityManager,
  { tenantId, id }: ShownOf,
  { verdict, baselineSuiteRunId }: { verdict: Verdict; baselineSuiteRunId: string | null },
): Promise<CaseReport[]> {
  const named = [...verdict.flagged, ...verdict.alert.newlyFailing];
  const { rows } = await sql`
    with failing as (
      select distinct on (c.sort_order, c.case_name) c.id, c.sort_order, c.case_name
      from test_case_results c
      where c.tenant_id = ${tenantId} and c.run_id = ${id} and c.status in ('failed', 'error')
      order by c.sort_order, c.case_name, c.repetition),
    chosen as (
      select f.id, row_number() over (order by n.place nulls last, f.sort_order, f.case_name) as rank
      from failing f left join unnest(${named}::text[]) with ordinality n(name, place) on n.name = f.case_name
      order by rank limit ${mostCases})
    select c.case_name, c.sort_order, coalesce(c.line, t.line) as line, c.status, c.error_kind, c.error_message, c.check_results,
      c.metric_results, c.tools_matched, p.outcome -> 'tools' -> 'problems' as tool_problems,
      p.outcome -> 'mocks' -> 'unmatchedCalls' as unmatched_calls, p.outcome -> 'outcomes' as outcomes,
      case when o.rank <= ${mostAnswers} then left(c.actual_response, ${answerCharacters}) end as head_answer,
      case when o.rank <= ${mostAnswers} then b.answer end as base_answer,
      case when o.rank <= ${mostAnswers} then (
        select coalesce(jsonb_agg(t ->> 'name'), '[]') from jsonb_array_elements(c.tool_calls) t) end as head_tools,
      case when o.rank <= ${mostAnswers} then b.tools end as base_tools
    from chosen o
    join test_case_results c on c.tenant_id = ${tenantId} and c.id = o.id
    join test_cases t on t.tenant_id = c.tenant_id and t.id = c.test_case_id
    cross join lateral (select ${storedPayload('c')} as outcome) p
    left join lateral (
      select left(b.actual_response, ${answerCharacters}) as answer, (
        select coalesce(jsonb_agg(t ->> 'name'), '[]') from jsonb_array_elements(b.tool_calls) t) as tools
      from test_case_results b
      where b.tenant_id = ${tenantId} and b.run_id = ${baselineSuiteRunId} and b.case_name = c.case_name
      order by (b.status = 'passed') desc, b.repetition limit 1) b on true
    order by c.sort_order, c.case_name`.execute(em.getKysely());
  if (rows.length === 0) return [];
  const made = await readCaseRows(em, { tenantId, id });
  return z
    .array(Row)
    .parse(rows)
    .map((row) => {
      const at = made === null ? undefined : rowOfCase(made, row.sort_order);
      return { ...reportOf(row), ...(at === undefined ? {} : { row: at }) };
    });
}

async function readCaseRows(em: EntityManager, { tenantId, id }: ShownOf): Promise<CaseRows | null> {
  const { rows } = await sql<{ made: unknown }>`
    select case_rows as made from test_suite_runs where tenant_id = ${tenantId} and id = ${id}`.execute(em.getKysely());
  return CaseRows.nullable().parse(rows[0]?.made ?? null);
}

function reportOf(row: Row): CaseReport {
  const firstFailure =
    row.status === 'skipped'
      ? null
      : describeFailure({
          status: row.status,
          errorKind: row.error_kind,
          errorMessage: row.error_message,
          checks: row.check_results ?? [],
          metrics: row.metric_results ?? [],
          tools: { matched: row.tools_matched, problems: row.tool_problems ?? [] },
          ...(row.unmatched_calls === null
            ? {}
            : { mocks: { unusedEntries: [], unmatchedCalls: row.unmatched_calls } }),
          outcomes: row.outcomes,
        });
  const { case_name: caseName, line, head_answer: headAnswer, base_answer: baseAnswer } = row;
  const { head_tools: head, base_tools: base } = row;
  return {
    ...{ caseName, line, firstFailure, headAnswer, baseAnswer },
    judgeReason: judgeReason({
      tools: { matched: row.tools_matched, problems: [] },
      checks: row.check_results ?? [],
      outcomes: row.outcomes,
    }),
    ...(head === null || base === null ? {} : { toolCalls: { base, head } }),
  };
}
