import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { TestCase } from '@proofmark/contracts/test-case';
import { describeFailure, failureReasons } from '@proofmark/domain/failure-reasons';
import { renderMarkdown } from '@proofmark/domain/report-markdown';
import { placeEnvironment } from '@proofmark/domain/report-place';
import { buildTestReport, type ReportedTestRun } from '@proofmark/domain/test-report';
import { sql } from 'kysely';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { joinPlan } from '../../ledger/work-parts.ts';
import { version } from '../../start/version.ts';
import { type OutcomeRow, wholeOutcome } from '../test-runs/whole-outcome.ts';
import type { SuiteRunView } from './read-suite-runs.ts';

/** Why a test run of a report did not pass: what the report itself has no key for. */
export interface TestFailure {
  /** Position in the results of the report, from 0. */
  result: number;
  testRunId: string;
  caseName: string;
  repetition: number;
  summary: string;
  reasons: string[];
}

export interface SuiteRunReport {
  json: unknown;
  markdown: string;
  failures: TestFailure[];
}

type ReportRow = OutcomeRow & {
  id: string;
  sortOrder: number;
  definition: unknown;
  outcome: Partial<CaseOutcome> | null;
};

const readings = new WeakMap<SuiteRunView, Promise<SuiteRunReport | null>>();

/**
 * The report of an ended suite run, the same as an embedded run makes; null while it is open or when nothing was executed.
 * Several fields of one request share one reading.
 */
export function readSuiteRunReport(
  database: Database,
  tenantId: string,
  suiteRun: SuiteRunView,
): Promise<SuiteRunReport | null> {
  const known = readings.get(suiteRun) ?? buildReport(database, tenantId, suiteRun);
  readings.set(suiteRun, known);
  return known;
}

async function buildReport(
  database: Database,
  tenantId: string,
  suiteRun: SuiteRunView,
): Promise<SuiteRunReport | null> {
  if (suiteRun.completedAt === null) return null;
  const rows = await readRows(database, tenantId, suiteRun.id);
  const executed = rows.filter(({ skipReason }) => skipReason === null);
  const results = executed.map(reported);
  const built = buildTestReport({
    agentName: suiteRun.agentName,
    agentConfigPath: suiteRun.suitePath ?? suiteRun.suiteName,
    results,
    skipped: rows.flatMap(({ caseName, skipReason }) =>
      skipReason === null ? [] : [{ test_name: caseName, reason: skipReason }],
    ),
    timestamp: new Date(suiteRun.completedAt).toISOString(),
    version,
    environment: placeEnvironment({ suite: suiteRun.suiteName, cell: suiteRun.cellKey, variant: suiteRun.variant }),
  });
  if (!built.ok) return null;
  const failures = failuresOf(results, executed);
  const reasons = new Map(failures.map((failure) => [failure.result, failure.reasons]));
  return { json: built.report, markdown: renderMarkdown(built.report, reasons), failures };
}

async function readRows(database: Database, tenantId: string, suiteRunId: string): Promise<ReportRow[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<ReportRow>`
      select c.id, c.case_name as "caseName", c.sort_order as "sortOrder", c.repetition, c.status, c.error_kind as "errorKind",
        c.error_message as "errorMessage", c.skip_reason as "skipReason", c.degraded, c.truncated, c.test_input as "testInput",
        c.actual_response as response, coalesce(c.check_results, '[]') as checks, coalesce(c.tool_calls, '[]') as "toolCalls",
        c.tools_matched as "toolsMatched", coalesce(c.metric_results, '[]') as metrics, c.model, c.cost_usd as "costUsd",
        c.latency_ms as "latencyMs", c.duration_ms as "executionTimeMs", c.retry_count as "retryCount",
        coalesce(c.started_at, c.created_at) as "startedAt", coalesce(wc.content -> 'case', t.definition::json) as definition, y.outcome
      from test_case_results c
      join test_cases t on t.tenant_id = c.tenant_id and t.id = c.test_case_id
      left join test_case_payloads y on y.tenant_id = c.tenant_id and y.id = c.id ${joinPlan('c')}
      where c.run_id = ${suiteRunId}
      order by c.sort_order, c.repetition`,
  );
}

function reported(row: ReportRow): ReportedTestRun {
  const { caseName, sortOrder, repetition, outcome } = row;
  return { caseName, sortOrder, repetition, case: TestCase.parse(row.definition), outcome: wholeOutcome(row, outcome) };
}

/** What did not pass, by its position in the report. */
function failuresOf(results: readonly ReportedTestRun[], rows: readonly ReportRow[]): TestFailure[] {
  return results.flatMap(({ caseName, repetition, outcome }, result) => {
    const summary = describeFailure(outcome);
    const testRunId = rows[result]?.id;
    if (summary === null || testRunId === undefined) return [];
    return [{ result, testRunId, caseName, repetition, summary, reasons: failureReasons(outcome) }];
  });
}
