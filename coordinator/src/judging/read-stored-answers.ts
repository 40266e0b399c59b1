import type { EntityManager } from '@mikro-orm/postgresql';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { sql } from 'kysely';
import { z } from 'zod';
import { storedPayload } from '../ledger/incoming-results.ts';
import type { TakenResult } from '../ledger/new-test-run.ts';
import { joinPlan, plannedWork, StoredWork } from '../ledger/work-parts.ts';
import type { AskedCase } from './asked-cases.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** An answer that the base once gave. What is not kept, or was written by a version that nobody understands, is null. */
export interface AnswerRow {
  testRunId: string;
  caseKey: string;
  caseHash: string;
  instrumentHash: string;
  repetition: number;
  work: CaseWork | null;
  outcome: CaseOutcome | null;
  /** What the same judge said of it beside another head; null: nobody has asked it. */
  taken: TakenResult | null;
}

const Row = z.object({
  testRunId: z.string(),
  caseKey: z.string(),
  caseHash: z.string(),
  instrumentHash: z.string(),
  repetition: z.number(),
  work: z.unknown(),
  columns: z.record(z.string(), z.unknown()),
  payload: z.record(z.string(), z.unknown()).nullable(),
  taken: z.object({ id: z.string(), status: z.enum(['passed', 'failed']) }).nullable(),
});

interface Question {
  suiteRun: SuiteRunToJudge;
  /** The suite run of the base. */
  baseId: string;
  cases: readonly AskedCase[];
}

/** The executed test runs that the base has for these cases in the same setting, whatever judged them. */
export async function readStoredAnswers(
  em: EntityManager,
  { suiteRun, baseId, cases }: Question,
): Promise<AnswerRow[]> {
  const { tenantId, suiteId, cellKey, settingKey } = suiteRun;
  const keys = cases.map(({ caseKey }) => caseKey);
  const wanted = JSON.stringify(
    Object.fromEntries(cases.map(({ caseKey, instrumentHash }) => [caseKey, instrumentHash])),
  );
  const { rows } = await sql`
    select c.id as "testRunId", c.case_key as "caseKey", c.case_hash as "caseHash",
      c.instrument_hash as "instrumentHash", c.repetition, ${plannedWork} as work, ${storedPayload('c')} as payload, ${answerColumns} as columns,
      (select jsonb_build_object('id', a.id, 'status', a.status) from test_suite_runs j
        join test_case_results a on a.tenant_id = j.tenant_id and a.run_id = j.id
        where j.tenant_id = ${tenantId} and j.suite_id = ${suiteId} and j.cell_key = ${cellKey}
          and j.purpose = 'rejudge' and j.taken_from ->> 'suiteRunId' = ${baseId} and j.status = 'completed'
          and (a.case_key, a.case_hash, a.repetition) = (c.case_key, c.case_hash, c.repetition)
          and a.instrument_hash = ${wanted}::jsonb ->> c.case_key and a.status in ('passed', 'failed')
        order by j.created_at, j.id limit 1) as taken
    from test_case_results c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    ${joinPlan('c')}
    where c.tenant_id = ${tenantId} and c.run_id = ${baseId} and s.setting_key = ${settingKey}
      and c.case_key = any(${keys}::text[]) and c.status <> 'skipped'
    order by c.sort_order, c.repetition`.execute(em.getKysely());
  return z.array(Row).parse(rows).map(asAnswer);
}

/** What of an outcome stands in the row itself. */
export const answerColumns = sql`jsonb_build_object(
  'status', c.status, 'errorKind', c.error_kind, 'errorMessage', c.error_message, 'degraded', c.degraded,
  'truncated', c.truncated, 'testInput', coalesce(c.test_input, ''), 'response', c.actual_response,
  'checks', coalesce(c.check_results, '[]'), 'toolCalls', coalesce(c.tool_calls, '[]'),
  'metrics', coalesce(c.metric_results, '[]'), 'executionTimeMs', coalesce(c.duration_ms, 0),
  'latencyMs', c.latency_ms, 'costUsd', c.cost_usd, 'model', c.model, 'retryCount', coalesce(c.retry_count, 0),
  'startedAt', to_char(coalesce(c.started_at, c.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

function asAnswer({ work, columns: row, payload, ...rest }: z.infer<typeof Row>): AnswerRow {
  return {
    ...rest,
    work: StoredWork.safeParse(work).data ?? null,
    outcome: payload === null ? null : (CaseOutcome.safeParse({ ...payload, ...row }).data ?? null),
  };
}
