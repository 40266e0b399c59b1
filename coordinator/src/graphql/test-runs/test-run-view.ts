import type { CheckResult, MetricResult, ToolCall } from '@proofmark/contracts/case-outcome';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { type RawBuilder, sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { openMembers } from '../../runs/chunk-places.ts';
import { type Page, type PageRequest, toPage } from '../connection.ts';

/** One case and one repetition in a suite run: waiting, running, or with its final result. */
export interface TestRunView {
  id: string;
  suiteRunId: string;
  caseName: string;
  caseKey: string;
  caseHash: string;
  instrumentHash: string;
  sortOrder: number;
  repetition: number;
  variant: 'head' | 'baseline' | 'candidate';
  attempt: number;
  status: 'queued' | 'running' | 'passed' | 'failed' | 'skipped' | 'error';
  errorKind: ErrorKind | null;
  errorMessage: string | null;
  skipReason: string | null;
  degraded: boolean;
  truncated: boolean;
  testInput: string | null;
  response: string | null;
  checks: CheckResult[];
  toolCalls: ToolCall[];
  toolsMatched: boolean | null;
  metrics: MetricResult[];
  model: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
  latencyMs: number | null;
  executionTimeMs: number | null;
  retryCount: number;
  resolvedVariables: ResolvedVariables | null;
  startedAt: string | null;
  position: string[];
}

const recorded = sql`
  select c.id, c.run_id as "suiteRunId", c.case_name as "caseName", c.case_key as "caseKey", c.case_hash as "caseHash",
    c.instrument_hash as "instrumentHash", c.sort_order as "sortOrder", c.repetition, c.variant, c.attempt, c.status, c.error_kind as "errorKind",
    c.error_message as "errorMessage", c.skip_reason as "skipReason", c.degraded, c.truncated,
    c.test_input as "testInput", c.actual_response as response, coalesce(c.check_results, '[]'::jsonb) as checks,
    coalesce(c.tool_calls, '[]'::jsonb) as "toolCalls", c.tools_matched as "toolsMatched",
    coalesce(c.metric_results, '[]'::jsonb) as metrics, c.model, c.prompt_tokens as "promptTokens",
    c.completion_tokens as "completionTokens", c.cost_usd as "costUsd", c.latency_ms as "latencyMs",
    c.duration_ms as "executionTimeMs", c.retry_count as "retryCount",
    c.resolved_variables as "resolvedVariables", c.started_at as "startedAt"
  from test_case_results c`;

// What is settled in its chunk has its row among the results. Where somebody has decided that the suite run ends, the row is
// still to be written, and what it will say is known.
const open = sql`
  select l.test_run_id, l.suite_run_id, l.case_name, l.case_key, l.case_hash, l.instrument_hash, l.sort_order, l.repetition, l.variant, c.attempt,
    coalesce(s.ending #>> '{closing,status}', case c.state when 'leased' then 'running' else 'queued' end),
    s.ending #>> '{closing,errorKind}', s.ending #>> '{closing,errorMessage}', s.ending #>> '{closing,skipReason}',
    false, false, null, null, '[]'::jsonb, '[]'::jsonb, null::boolean, '[]'::jsonb, null, null::int, null::int,
    null::double precision, null::double precision, null::int, 0, l.resolved_variables, null::timestamptz
  from chunks c ${openMembers}
  join planned_test_runs l on l.tenant_id = c.tenant_id and l.test_run_id = m.test_run_id
  join test_suite_runs s on s.tenant_id = l.tenant_id and s.id = l.suite_run_id`;

function select(
  column: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  rest: RawBuilder<unknown>,
): RawBuilder<TestRunView> {
  return sql<TestRunView>`
    select *, array["sortOrder"::text, repetition::text, id::text] as position
    from (${recorded} where c.${column} ${condition}
      union all
      ${open} where ${openOf(column, condition)} and c.state in ('queued', 'leased')) t
    ${rest}`;
}

const suiteRun = sql`run_id`;

/** The open chunks of one run are few beside its test runs, and an index finds them. */
const openOf = (column: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  column === suiteRun
    ? sql`c.run_id = (select run_id from test_suite_runs where id ${condition}) and l.suite_run_id ${condition}`
    : sql`c.run_id = (select run_id from planned_test_runs where test_run_id ${condition}) and l.test_run_id ${condition}`;

/** The test run, or null when this tenant has none with that id. */
export async function readTestRun(
  database: Database,
  tenantId: string,
  testRunId: string,
): Promise<TestRunView | null> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await select(sql`id`, sql`= ${testRunId}`, sql`limit 1`).execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** A page of a suite run's test runs in the order of the file, of one status when that is asked for. */
export async function listTestRuns(
  database: Database,
  { tenantId, suiteRunId, status }: { tenantId: string; suiteRunId: string; status: string | null },
  page: PageRequest,
): Promise<Page<TestRunView>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [order, repetition, id] = page.from ?? [];
  const conditions = [
    status === null ? sql`true` : sql`status = ${status}`,
    page.from === null
      ? sql`true`
      : sql`("sortOrder", repetition, id) ${comparison} (${order}::int, ${repetition}::int, ${id}::uuid)`,
  ];
  const sorted = sql`order by "sortOrder" ${direction}, repetition ${direction}, id ${direction} limit ${page.size + 1}`;
  return await inTenant(database, tenantId, async (em) => {
    const rest = sql`where ${sql.join(conditions, sql` and `)} ${sorted}`;
    const { rows } = await select(suiteRun, sql`= ${suiteRunId}`, rest).execute(em.getKysely());
    return toPage(page, rows);
  });
}
