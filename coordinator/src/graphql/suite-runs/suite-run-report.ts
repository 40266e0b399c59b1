import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { TestCase } from '@proofmark/contracts/test-case';
import type { SkippedTest, TestReport, TestResult } from '@proofmark/contracts/test-report';
import { describeFailure, failureReasons } from '@proofmark/domain/failure-reasons';
import { renderMarkdown } from '@proofmark/domain/report-markdown';
import { placeEnvironment, type ReportedTestRun, reportOfResults, testResult } from '@proofmark/domain/test-report';
import { sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { portionsOf } from '../../judging/portions.ts';
import { storedPayload } from '../../ledger/incoming-results.ts';
import { version } from '../../start/version.ts';
import type { GraphqlContext } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { byRow } from '../loaders.ts';
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
  json: TestReport;
  markdown: () => string;
  failures: TestFailure[];
}

type ReportRow = OutcomeRow & {
  id: string;
  suiteRunId: string;
  sortOrder: number;
  definition: unknown;
  outcome: Partial<CaseOutcome> | null;
};

/**
 * The report of an ended suite run, the same as an embedded run makes; null while it is open or when nothing was executed.
 * All fields and all suite runs of one request share one reading.
 */
export async function suiteRunReport(context: GraphqlContext, suiteRun: SuiteRunView): Promise<SuiteRunReport | null> {
  return suiteRun.completedAt === null ? null : await reportOf(context, suiteRun);
}

/** Of the results that a request reads for reports, as they are stored: what is made of them is in memory as a whole, several times as large. */
const mostStoredBytes = 64_000_000;

/** How much of it a request has taken. */
const taken = new WeakMap<GraphqlContext, number>();

const reportOf = byRow(async (database, tenantId, suiteRuns: readonly SuiteRunView[], context) => {
  const sizes = await storedSizes(database, tenantId, suiteRuns);
  const readable = suiteRuns.filter(({ id }) => {
    const together = (taken.get(context) ?? 0) + (sizes.get(id)?.bytes ?? 0);
    if (together <= mostStoredBytes) taken.set(context, together);
    return together <= mostStoredBytes;
  });
  const reports = await suiteRunReports(database, tenantId, readable, ({ id }) => sizes.get(id)?.results ?? 0);
  const made = new Map(readable.map((suiteRun, at) => [suiteRun, reports[at] ?? null]));
  return suiteRuns.map((suiteRun) => (made.has(suiteRun) ? (made.get(suiteRun) ?? null) : tooMuch()));
});

const tooMuch = () =>
  graphqlError(
    'QUERY_TOO_COMPLEX',
    `The results of these suite runs take more than ${mostStoredBytes} bytes together. Ask for fewer reports at once, or for a download.`,
  );

interface StoredSize {
  results: number;
  bytes: number;
}

/** How many results each of these has, and the bytes that they take where they are stored, without reading what is long. */
async function storedSizes(
  database: Database,
  tenantId: string,
  suiteRuns: readonly SuiteRunView[],
): Promise<ReadonlyMap<string, StoredSize>> {
  const long = ['payload', 'test_input', 'actual_response', 'check_results', 'tool_calls', 'metric_results'];
  const size = sql.join(
    long.map((name) => sql`coalesce(pg_column_size(${sql.ref(name)}), 0)`),
    sql` + `,
  );
  const rows = await readInTenant(
    database,
    tenantId,
    sql<StoredSize & { id: string }>`
      select run_id as id, count(*)::int as results, sum(${size})::float8 as bytes from test_case_results
      where run_id = any(${suiteRuns.map(({ id }) => id)}::uuid[]) group by 1`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The reports of ended suite runs, in their order; what was stored for one of them may be such that it has none. */
export async function suiteRunReports(
  database: Database,
  tenantId: string,
  suiteRuns: readonly SuiteRunView[],
  resultsOf: (suiteRun: SuiteRunView) => number = ({ totalCases }) => totalCases,
): Promise<(SuiteRunReport | null | Error)[]> {
  const sketches = new Map(suiteRuns.map(({ id }) => [id, newSketch()]));
  const reported = suiteRuns.map((suiteRun) => ({ id: suiteRun.id, planned: resultsOf(suiteRun) }));
  for await (const reportedRow of readReportedRows(database, tenantId, reported)) {
    const sketch = sketches.get(reportedRow.row.suiteRunId);
    if (sketch !== undefined) note(reportedRow, sketch);
  }
  return suiteRuns.map((suiteRun) => {
    try {
      return buildReport(suiteRun, sketches.get(suiteRun.id) ?? newSketch());
    } catch (error) {
      return new Error(`The results of suite run ${suiteRun.id} make no report`, { cause: error });
    }
  });
}

/** What a report is made of, as far as its rows have been read. */
interface Sketch {
  results: TestResult[];
  skipped: SkippedTest[];
  failures: TestFailure[];
}

const newSketch = (): Sketch => ({ results: [], skipped: [], failures: [] });

function note({ row, testRun }: ReportedRow, { results, skipped, failures }: Sketch): void {
  if (testRun === null) {
    skipped.push({ test_name: row.caseName, reason: row.skipReason ?? '' });
    return;
  }
  failures.push(...failureOf(row, testRun, results.length));
  results.push(testResult(testRun));
}

function buildReport(suiteRun: SuiteRunView, { results, skipped, failures }: Sketch): SuiteRunReport | null {
  const built = reportOfResults({
    agentName: suiteRun.agentName,
    agentConfigPath: suiteRun.suitePath ?? suiteRun.suiteName,
    results,
    skipped,
    timestamp: new Date(suiteRun.completedAt ?? suiteRun.createdAt).toISOString(),
    version,
    environment: placeEnvironment({ suite: suiteRun.suiteName, cell: suiteRun.cellKey, variant: suiteRun.variant }),
  });
  if (!built.ok) return null;
  const reasons = new Map(failures.map((failure) => [failure.result, failure.reasons]));
  return { json: built.report, markdown: () => renderMarkdown(built.report, reasons), failures };
}

/** A result as reports show it. */
export interface ReportedRow {
  row: ReportRow;
  /** Null: it was not executed. */
  testRun: ReportedTestRun | null;
}

interface Reported {
  id: string;
  /** It has no more results than these. */
  planned: number;
}

/** The results of ended suite runs, each as reports show it; a part of bounded size is held at once. */
export async function* readReportedRows(
  database: Database,
  tenantId: string,
  suiteRuns: readonly Reported[],
): AsyncGenerator<ReportedRow> {
  for (const portion of portionsOf(suiteRuns, rowsAtOnce))
    for await (const row of readRows(database, tenantId, portion))
      yield { row, testRun: row.skipReason === null ? reported(row) : null };
}

/** With each come its transcript and whatever else its runner sent: only so many are held at once. */
const rowsAtOnce = 200;

/**
 * The results of ended suite runs in their order. They change no more, so each page may be a look of its own. What belongs to a
 * row is looked up by its key: joined, with statistics of before the run, all of a tenant may be compared with all of it.
 */
async function* readRows(
  database: Database,
  tenantId: string,
  portion: readonly Reported[],
): AsyncGenerator<ReportRow> {
  const ids = portion.map(({ id }) => id);
  const most = ids.length === 1 ? rowsAtOnce : null;
  let from = { sortOrder: -1, repetition: 0, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const rows: ReportRow[] = await readInTenant(
      database,
      tenantId,
      sql<ReportRow>`${prepared}
        select c.id, c.run_id as "suiteRunId", c.case_name as "caseName", c.sort_order as "sortOrder", c.repetition, c.status,
          c.error_kind as "errorKind", c.error_message as "errorMessage", c.skip_reason as "skipReason", c.degraded, c.truncated,
          c.test_input as "testInput", c.actual_response as response, coalesce(c.check_results, '[]') as checks,
          coalesce(c.tool_calls, '[]') as "toolCalls", c.tools_matched as "toolsMatched",
          coalesce(c.metric_results, '[]') as metrics, c.model, c.cost_usd as "costUsd", c.latency_ms as "latencyMs",
          c.duration_ms as "executionTimeMs", c.retry_count as "retryCount",
          coalesce(c.started_at, c.created_at) as "startedAt", coalesce(wc.content -> 'case', t.definition::json) as definition,
          ${storedPayload('c')} as outcome
        from unnest(${ids}::uuid[]) with ordinality s(id, place)
        cross join lateral (
          select * from test_case_results c
          where c.tenant_id = ${tenantId} and c.run_id = s.id
            and (c.sort_order, c.repetition, c.id) > (${from.sortOrder}::int, ${from.repetition}::int, ${from.id}::uuid)
          order by c.sort_order, c.repetition, c.id limit ${most}::int) c
        cross join lateral (
          select t.definition from test_cases t where t.tenant_id = c.tenant_id and t.id = c.test_case_id offset 0) t
        left join lateral (
          select w.content from planned_test_runs p
          join work_contents w on w.tenant_id = p.tenant_id and w.hash = p.case_content_hash
          where p.tenant_id = c.tenant_id and p.test_run_id = c.id offset 0) wc on true
        order by s.place, c.sort_order, c.repetition, c.id`,
    );
    yield* rows;
    const last = rows.at(-1);
    if (most === null || last === undefined || rows.length < most) return;
    from = last;
  }
}

function reported(row: ReportRow): ReportedTestRun {
  const { caseName, sortOrder, repetition, outcome } = row;
  return { caseName, sortOrder, repetition, case: TestCase.parse(row.definition), outcome: wholeOutcome(row, outcome) };
}

/** What is told of a test run that did not pass. */
function failureOf(
  { id: testRunId }: ReportRow,
  { caseName, repetition, outcome }: ReportedTestRun,
  result: number,
): TestFailure[] {
  const summary = describeFailure(outcome);
  if (summary === null) return [];
  return [{ result, testRunId, caseName, repetition, summary, reasons: failureReasons(outcome) }];
}
