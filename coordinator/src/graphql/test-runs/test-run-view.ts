import type { CheckResult, MetricResult, ToolCall } from '@proofmark/contracts/case-outcome';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { TestRunState } from '@proofmark/contracts/words';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { column, type RowOf, selectLike, selectList } from '../../database/row.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { openMembers } from '../../ledger/close-chunks.ts';
import { type PageOf, type PageRequest, type PageRow, toPage } from '../connection.ts';
import type { GraphqlContext } from '../context.ts';
import { listOf, owner } from '../loaders.ts';

const columns = {
  id: column<string>(),
  suiteRunId: column<string>(sql`c.run_id`),
  testCaseId: column<string>(),
  caseName: column<string>(),
  caseKey: column<string>(),
  caseHash: column<string>(),
  instrumentHash: column<string>(),
  sortOrder: column<number>(),
  repetition: column<number>(),
  variant: column<'head' | 'baseline' | 'candidate'>(),
  attempt: column<number>(),
  status: column<TestRunState>(),
  errorKind: column<ErrorKind | null>(),
  errorMessage: column<string | null>(),
  skipReason: column<string | null>(),
  degraded: column<boolean>(),
  truncated: column<boolean>(),
  testInput: column<string | null>(),
  response: column<string | null>(sql`c.actual_response`),
  checks: column<CheckResult[]>(sql`coalesce(c.check_results, '[]'::jsonb)`),
  toolCalls: column<ToolCall[]>(sql`coalesce(c.tool_calls, '[]'::jsonb)`),
  toolsMatched: column<boolean | null>(),
  metrics: column<MetricResult[]>(sql`coalesce(c.metric_results, '[]'::jsonb)`),
  model: column<string | null>(),
  promptTokens: column<number | null>(),
  completionTokens: column<number | null>(),
  costUsd: column<number | null>(),
  latencyMs: column<number | null>(),
  executionTimeMs: column<number | null>(sql`c.duration_ms`),
  retryCount: column<number>(),
  resolvedVariables: column<ResolvedVariables | null>(),
  startedAt: column<string | null>(),
};

/** One case and one repetition in a suite run: waiting, running, or with its final result. */
export type TestRunView = RowOf<typeof columns> & PageRow;

const recorded = sql`select ${selectList('c', columns)} from test_case_results c`;

/** What a test run without a result has of them. */
const whileOpen: Record<keyof typeof columns, RawBuilder<unknown>> = {
  id: sql`l.test_run_id`,
  suiteRunId: sql`l.suite_run_id`,
  testCaseId: sql`l.test_case_id`,
  caseName: sql`l.case_name`,
  caseKey: sql`l.case_key`,
  caseHash: sql`l.case_hash`,
  instrumentHash: sql`l.instrument_hash`,
  sortOrder: sql`l.sort_order`,
  repetition: sql`l.repetition`,
  variant: sql`l.variant`,
  attempt: sql`c.attempt`,
  status: sql`coalesce(s.ending #>> '{closing,status}', case c.state when 'leased' then 'running' else 'queued' end)`,
  errorKind: sql`s.ending #>> '{closing,errorKind}'`,
  errorMessage: sql`s.ending #>> '{closing,errorMessage}'`,
  skipReason: sql`s.ending #>> '{closing,skipReason}'`,
  degraded: sql`false`,
  truncated: sql`false`,
  testInput: sql`null`,
  response: sql`null`,
  checks: sql`'[]'::jsonb`,
  toolCalls: sql`'[]'::jsonb`,
  toolsMatched: sql`null::boolean`,
  metrics: sql`'[]'::jsonb`,
  model: sql`null`,
  promptTokens: sql`null::int`,
  completionTokens: sql`null::int`,
  costUsd: sql`null::double precision`,
  latencyMs: sql`null::double precision`,
  executionTimeMs: sql`null::int`,
  retryCount: sql`0`,
  resolvedVariables: sql`l.resolved_variables`,
  startedAt: sql`null::timestamptz`,
};

// What is settled in its chunk has its row among the results. Where somebody has decided that the suite run ends, the row is
// still to be written, and what it will say is known.
const open = sql`
  select ${selectLike(columns, whileOpen)}
  from chunks c ${openMembers}
  join planned_test_runs l on l.tenant_id = c.tenant_id and l.test_run_id = m.test_run_id
  join test_suite_runs s on s.tenant_id = l.tenant_id and s.id = l.suite_run_id`;

/** What narrows either half of a list, in the words of a view; and how it is ordered and cut. */
interface Narrowing {
  where: (
    view: Pick<typeof whileOpen, 'sortOrder' | 'repetition' | 'id' | 'status' | 'caseName'>,
  ) => RawBuilder<unknown>;
  rest: (view: Pick<typeof whileOpen, 'sortOrder' | 'repetition' | 'id'>) => RawBuilder<unknown>;
}

const ofResult = {
  ...{ sortOrder: sql`c.sort_order`, repetition: sql`c.repetition`, id: sql`c.id` },
  ...{ status: sql`c.status`, caseName: sql`c.case_name` },
};
const ofBoth = { sortOrder: sql`"sortOrder"`, repetition: sql`repetition`, id: sql`id` };

/** Each half is cut before they are put together: a page of many results reads as many rows as it has. */
function select(
  key: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  { where, rest }: Narrowing,
): RawBuilder<TestRunView> {
  return sql<TestRunView>`
    select *, array["sortOrder"::text, repetition::text, id::text] as position
    from ((${recorded} where c.${key} ${condition} and ${where(ofResult)} ${rest(ofResult)})
      union all
      (${open} where ${openOf(key, condition)} and c.state in ('queued', 'leased') and ${where(whileOpen)} ${rest(whileOpen)})) t
    ${rest(ofBoth)}`;
}

const suiteRun = sql`run_id`;

/** The open chunks of one run are few beside its test runs, and an index finds them. */
const openOf = (key: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  key === suiteRun
    ? sql`c.run_id = (select run_id from test_suite_runs where id ${condition}) and l.suite_run_id ${condition}`
    : sql`c.run_id = (select run_id from planned_test_runs where test_run_id ${condition}) and l.test_run_id ${condition}`;

const one: Narrowing = { where: () => sql`true`, rest: () => sql`limit 1` };

/** The test run, or null when this tenant has none with that id. */
export async function readTestRun(
  database: Database,
  tenantId: string,
  testRunId: string,
): Promise<TestRunView | null> {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<TestRunView>`${prepared} ${select(sql`id`, sql`= ${testRunId}`, one)}`,
  );
  return rows[0] ?? null;
}

interface TestRunsQuestion {
  status: string | null;
  caseName: string | null;
  page: PageRequest;
}

const testRunsOf = listOf(({ status, caseName, page }: TestRunsQuestion) => {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [order, repetition, id] = page.from ?? [];
  const narrowing: Narrowing = {
    where: (view) =>
      sql.join(
        [
          status === null ? sql`true` : sql`${view.status} = ${status}`,
          caseName === null ? sql`true` : sql`${view.caseName} = ${caseName}`,
          page.from === null
            ? sql`true`
            : sql`(${view.sortOrder}, ${view.repetition}, ${view.id}) ${comparison} (${order}::int, ${repetition}::int, ${id}::uuid)`,
        ],
        sql` and `,
      ),
    rest: (view) =>
      sql`order by ${view.sortOrder} ${direction}, ${view.repetition} ${direction}, ${view.id} ${direction} limit ${page.size + 1}`,
  };
  return select(suiteRun, sql`= ${owner}`, narrowing);
});

/** A page of a suite run's test runs in the order of the file, of one status when that is asked for. */
export async function listTestRuns(
  context: GraphqlContext,
  suiteRunId: string,
  question: TestRunsQuestion,
): Promise<PageOf<TestRunView>> {
  return toPage(question.page, await testRunsOf(context, suiteRunId, question));
}

/** A result with the moment at which its transaction began. */
export type NewResult = TestRunView & { storedAt: string };

/**
 * Results of a run in the order in which they were stored, from this moment on. What a slow transaction stores may lie before
 * what is there already: whoever follows looks back a while, and knows what it has seen.
 */
export async function readNewResults(
  database: Database,
  tenantId: string,
  { runId, from, size }: { runId: string; from: { at: string; id: string } | null; size: number },
): Promise<NewResult[]> {
  const behind = from === null ? sql`true` : sql`(c.created_at, c.id) > (${from.at}::timestamptz, ${from.id}::uuid)`;
  return await readInTenant(
    database,
    tenantId,
    sql<NewResult>`
      select ${selectList('c', columns)}, c.created_at::text as "storedAt",
        array[c.sort_order::text, c.repetition::text, c.id::text] as position
      from test_case_results c
      where c.run_id = any(array(select s.id from test_suite_runs s where s.run_id = ${runId} and s.purpose <> 'calibrate'))
        and ${behind} order by c.created_at, c.id limit ${size}`,
  );
}
