import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { TestCase } from '@proofmark/contracts/test-case';
import { renderMarkdown } from '@proofmark/domain/report-markdown';
import { buildTestReport, type ReportedTestRun } from '@proofmark/domain/test-report';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { version } from '../../version.ts';
import type { SuiteRunView } from './suite-run-view.ts';
import type { TestRunView } from './test-run-view.ts';

export interface SuiteRunReport {
  json: unknown;
  markdown: string;
}

type ReportRow = Omit<TestRunView, 'status' | 'errorKind'> &
  Pick<CaseOutcome, 'status' | 'errorKind'> & { definition: unknown; outcome: Partial<CaseOutcome> | null };

/** The report of an ended suite run, the same as an embedded run makes; null while it is open or when nothing was executed. */
export async function readSuiteRunReport(
  database: Database,
  tenantId: string,
  suiteRun: SuiteRunView,
): Promise<SuiteRunReport | null> {
  if (suiteRun.completedAt === null) return null;
  const rows = await readRows(database, tenantId, suiteRun.id);
  const built = buildTestReport({
    agentName: suiteRun.agentName,
    agentConfigPath: suiteRun.suitePath ?? suiteRun.suiteName,
    results: rows.filter(({ skipReason }) => skipReason === null).map(reported),
    skipped: rows.flatMap(({ caseName, skipReason }) =>
      skipReason === null ? [] : [{ test_name: caseName, reason: skipReason }],
    ),
    timestamp: new Date(suiteRun.completedAt).toISOString(),
    version,
    environment: {},
  });
  return built.ok ? { json: built.report, markdown: renderMarkdown(built.report) } : null;
}

async function readRows(database: Database, tenantId: string, suiteRunId: string): Promise<ReportRow[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<ReportRow>`
      select c.case_name as "caseName", c.sort_order as "sortOrder", c.repetition, c.status, c.error_kind as "errorKind",
        c.error_message as "errorMessage", c.skip_reason as "skipReason", c.degraded, c.truncated, c.test_input as "testInput",
        c.actual_response as response, coalesce(c.check_results, '[]') as checks, coalesce(c.tool_calls, '[]') as "toolCalls",
        c.tools_matched as "toolsMatched", coalesce(c.metric_results, '[]') as metrics, c.model, c.cost_usd as "costUsd",
        c.latency_ms as "latencyMs", c.duration_ms as "executionTimeMs", c.retry_count as "retryCount",
        coalesce(c.started_at, c.created_at) as "startedAt", coalesce(y.work -> 'case', t.definition) as definition, y.outcome
      from test_case_results c
      join test_cases t on t.tenant_id = c.tenant_id and t.id = c.test_case_id
      left join test_case_payloads y on y.tenant_id = c.tenant_id and y.id = c.id
      where c.run_id = ${suiteRunId}
      order by c.sort_order, c.repetition`.execute(em.getKysely());
    return rows;
  });
}

function reported(row: ReportRow): ReportedTestRun {
  const { caseName, sortOrder, repetition, outcome } = row;
  return {
    caseName,
    sortOrder,
    repetition,
    case: TestCase.parse(row.definition),
    outcome: {
      ...row,
      testInput: row.testInput ?? '',
      executionTimeMs: row.executionTimeMs ?? 0,
      startedAt: new Date(row.startedAt ?? 0).toISOString(),
      tools: outcome?.tools ?? { matched: row.toolsMatched, problems: [] },
      transcript: outcome?.transcript ?? [],
      usage: outcome?.usage ?? null,
      flags: outcome?.flags ?? [],
      files: outcome?.files ?? [],
      outcomes: outcome?.outcomes ?? null,
      metricDetails: outcome?.metricDetails ?? [],
    },
  };
}
