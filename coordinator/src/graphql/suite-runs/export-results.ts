import type { TestReport } from '@proofmark/contracts/test-report';
import type { UnmeasuredMetric } from '@proofmark/contracts/verdict';
import { failureReasons } from '@proofmark/domain/failure-reasons';
import { csvHead, csvLine } from '@proofmark/domain/report-csv';
import { renderHtml } from '@proofmark/domain/report-html';
import {
  addCounts,
  deadMetrics,
  type JunitCounts,
  junitEnd,
  junitStart,
  junitSuite,
} from '@proofmark/domain/report-junit';
import { screenSafe } from '@proofmark/domain/screen-safe-json';
import { placeEnvironment, testResult } from '@proofmark/domain/test-report';
import { sql } from 'kysely';
import { type Database, readInTenant } from '../../database/transactions.ts';
import type { ExportFormat } from './export-formats.ts';
import type { SuiteRunView } from './read-suite-runs.ts';
import { readReportedRows, suiteRunReports } from './suite-run-report.ts';

/** What is exported: ended suite runs of one tenant, in their order. */
export interface Exported {
  tenantId: string;
  suiteRuns: readonly SuiteRunView[];
}

/** A page holds all of its text at once: larger exports are for programs. */
export const mostOnPage = 5_000;

/** The text of an export piece by piece: however many results there are, one part of bounded size of them is in memory. */
export function exportResults(database: Database, exported: Exported, format: ExportFormat): AsyncGenerator<string> {
  switch (format) {
    case 'csv':
      return csv(database, exported);
    case 'jsonl':
      return jsonLines(database, exported);
    case 'junit':
      return junit(database, exported);
    case 'html':
      return page(database, exported);
  }
}

type Head = Pick<TestReport, 'agent_name' | 'environment' | 'timestamp'>;

const headOf = ({ agentName, suiteName, cellKey, variant, completedAt, createdAt }: SuiteRunView): Head => ({
  agent_name: agentName,
  environment: placeEnvironment({ suite: suiteName, cell: cellKey, variant }),
  timestamp: new Date(completedAt ?? createdAt).toISOString(),
});

const rowsOf = (database: Database, { tenantId }: Exported, { id, totalCases }: SuiteRunView) =>
  readReportedRows(database, tenantId, [{ id, planned: totalCases }]);

async function* csv(database: Database, exported: Exported): AsyncGenerator<string> {
  const ids = exported.suiteRuns.map(({ id }) => id);
  const metrics = await readInTenant(
    database,
    exported.tenantId,
    sql<{ name: string }>`
      select distinct m ->> 'metric_name' as name from test_case_results c cross join jsonb_array_elements(c.metric_results) m
      where c.run_id = any(${ids}::uuid[]) order by 1`,
  );
  const names = metrics.map(({ name }) => name);
  yield csvHead(names);
  for (const suiteRun of exported.suiteRuns) {
    const head = headOf(suiteRun);
    for await (const { testRun } of rowsOf(database, exported, suiteRun))
      if (testRun !== null) yield csvLine(head, testResult(testRun), names);
  }
}

async function* jsonLines(database: Database, exported: Exported): AsyncGenerator<string> {
  for (const suiteRun of exported.suiteRuns) {
    const { runId, id, suiteName, cell, variant } = suiteRun;
    const place = { run_id: runId, suite_run_id: id, suite: suiteName, cell, variant };
    for await (const { row, testRun } of rowsOf(database, exported, suiteRun)) {
      const { id: testRunId, caseName, repetition, status, errorKind, skipReason, latencyMs, costUsd } = row;
      const facts = { repetition, status, error_kind: errorKind, latency_ms: latencyMs, cost_usd: costUsd };
      const result = testRun === null ? { test_name: caseName, skip_reason: skipReason } : testResult(testRun);
      yield `${screenSafe(JSON.stringify({ ...place, test_run_id: testRunId, ...facts, ...result }))}\n`;
    }
  }
}

interface SuiteFacts {
  id: string;
  durationMs: number;
  unmeasured: UnmeasuredMetric[] | null;
}

async function* junit(database: Database, exported: Exported): AsyncGenerator<string> {
  const ids = exported.suiteRuns.map(({ id }) => id);
  const facts = await readInTenant(
    database,
    exported.tenantId,
    sql<SuiteFacts>`
      select s.id, s.verdict_detail -> 'unmeasured' as unmeasured, coalesce((
        select sum(c.duration_ms)::float8 from test_case_results c where c.run_id = s.id and c.status <> 'skipped'), 0) as "durationMs"
      from test_suite_runs s where s.id = any(${ids}::uuid[])`,
  );
  const byId = new Map(facts.map((one) => [one.id, one]));
  const suites = exported.suiteRuns.map((suiteRun) => {
    const { durationMs = 0, unmeasured } = byId.get(suiteRun.id) ?? {};
    return { suiteRun, unmeasured: unmeasured ?? [], counts: countsOf(suiteRun, durationMs, unmeasured ?? []) };
  });
  yield junitStart(addCounts(suites.map(({ counts }) => counts)));
  for (const { suiteRun, unmeasured, counts } of suites) {
    const suite = junitSuite(headOf(suiteRun), counts, unmeasured);
    yield suite.start;
    for await (const { row, testRun } of rowsOf(database, exported, suiteRun))
      yield testRun === null
        ? suite.addSkipped({ test_name: row.caseName, reason: row.skipReason ?? '' })
        : suite.add(testResult(testRun), row.repetition, failureReasons(testRun.outcome));
    yield suite.end();
  }
  yield junitEnd;
}

function countsOf(suiteRun: SuiteRunView, durationMs: number, unmeasured: readonly UnmeasuredMetric[]): JunitCounts {
  const dead = deadMetrics(unmeasured).length;
  return {
    tests: suiteRun.passedCases + suiteRun.failedCases + suiteRun.skippedCases + dead,
    failures: suiteRun.failedCases - suiteRun.erroredCases,
    errors: suiteRun.erroredCases + dead,
    skipped: suiteRun.skippedCases,
    durationMs,
  };
}

async function* page(database: Database, { tenantId, suiteRuns }: Exported): AsyncGenerator<string> {
  const reports = await suiteRunReports(database, tenantId, suiteRuns);
  yield renderHtml(
    reports.flatMap((report) => {
      if (report instanceof Error) throw report;
      if (report === null) return [];
      return [
        { report: report.json, reasons: new Map(report.failures.map(({ result, reasons }) => [result, reasons])) },
      ];
    }),
  );
}
