import type { VerdictWord } from '@proofmark/contracts/gate';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { Verdict } from '@proofmark/contracts/verdict';
import type { RunStatus, SuiteRunPurpose } from '@proofmark/contracts/words';
import { passRate } from '@proofmark/domain/totals';
import { sql } from 'kysely';
import type { TakenFrom } from '../../database/json-columns.ts';
import { prepared } from '../../database/prepared.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { spentUsdOfSuiteRun } from '../../database/spent-usd.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { type PageOf, type PageRequest, type PageRow, toPage } from '../connection.ts';
import type { GraphqlContext } from '../context.ts';
import { byId, listBy, listOf, owner } from '../loaders.ts';
import {
  allOf,
  facetsIn,
  pageOf,
  type RunBounds,
  runConditions,
  type SharedFilter,
  type TimeOrder,
  timeOrder,
} from '../runs/run-filter.ts';

export interface Counters {
  totalCases: number;
  passedCases: number;
  failedCases: number;
  skippedCases: number;
}

export function openCases({ totalCases, passedCases, failedCases, skippedCases }: Counters): number {
  return totalCases - passedCases - failedCases - skippedCases;
}

/** Of what has a result by now; null when nothing was executed. */
export function passRateOf({ passedCases, failedCases }: Counters): number | null {
  return passRate({ passed: passedCases, total: passedCases + failedCases, skipped: 0 });
}

const suiteRunColumns = {
  id: column<string>(),
  runId: column<string>(),
  suiteId: column<string>(),
  suiteName: column<string>(),
  suitePath: column<string | null>(),
  agentId: column<string>(),
  agentName: column<string>(),
  agentSnapshotId: column<string | null>(),
  agentHash: column<string>(),
  fingerprint: column<string | null>(),
  variant: column<'head' | 'baseline' | 'candidate'>(),
  purpose: column<SuiteRunPurpose>(),
  pool: column<string>(),
  cellKey: column<string>(),
  cell: column<unknown>(),
  settingKey: column<string>(),
  status: column<RunStatus>(),
  totalCases: column<number>(),
  passedCases: column<number>(),
  failedCases: column<number>(),
  erroredCases: column<number>(),
  skippedCases: column<number>(),
  failureReason: column<string | null>(),
  errorMessage: column<string | null>(),
  verdict: column<VerdictWord | null>(),
  baselineSuiteRunId: column<string | null>(),
  takenFrom: column<TakenFrom | null>(),
  createdAt: column<string>(),
  startedAt: column<string | null>(),
  completedAt: column<string | null>(),
  deadlineAt: column<string | null>(),
};

/** One suite with one combination of matrix values and one variant, inside a run. */
export type SuiteRunView = RowOf<typeof suiteRunColumns> & PageRow;

const byTime = sql`array[s.created_at::text, s.id::text]`;

const columns = selectList('s', suiteRunColumns);

/** The suite runs with these ids that belong to the tenant, in no order. */
export async function readSuiteRunsById(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<SuiteRunView[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<SuiteRunView>`${prepared} select ${columns}, ${byTime} as position from test_suite_runs s where s.id = any(${ids}::uuid[])`,
  );
}

/** The suite runs of these runs, in the order in which they were planned. */
export async function readSuiteRunsOf(
  database: Database,
  tenantId: string,
  runIds: readonly string[],
): Promise<SuiteRunView[]> {
  // What labelled answers come to is part of a verdict, and no result of the run.
  const asked = sql`s.run_id = any(${runIds}::uuid[]) and s.purpose <> 'calibrate'`;
  const where = sql`where ${asked} order by s.sort_order, s.id`;
  return await readInTenant(
    database,
    tenantId,
    sql<SuiteRunView>`select ${columns}, ${byTime} as position from test_suite_runs s ${where}`,
  );
}

/** The suite run with an id, or null. */
export const suiteRunById = byId(readSuiteRunsById);

/** The suite runs of a run. */
export const suiteRunsOf = listBy(readSuiteRunsOf, ({ runId }) => runId);

/** What a comparison says, without its cases, of which there may be thousands. */
export type VerdictBrief = Omit<Verdict, 'cases'>;

/** What of a suite run may be large: read where it is asked for, and for no list that only shows states. */
export const detailsOfSuiteRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; verdict: VerdictBrief | null; resolvedVariables: ResolvedVariables | null }>`
      select id, verdict_detail - 'cases' as verdict, resolved_variables as "resolvedVariables"
      from test_suite_runs where id = any(${ids}::uuid[])`,
  ),
);

/** The whole comparison with every case. */
export const verdictOfSuiteRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; verdict: Verdict | null }>`
      select id, verdict_detail as verdict from test_suite_runs where id = any(${ids}::uuid[])`,
  ),
);

/** A case that failed, with the first reason. */
export interface FailingCase {
  caseName: string;
  line: number | null;
  firstFailure: string | null;
}

/** As much of a reason as a line of a list shows. */
const mostOfReason = 500;

/** The failing cases that comment and checks name, at most 200, in the order of the file; without the answers kept with them. */
export const failingCasesOf = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; cases: FailingCase[] }>`
      select id, (
        select coalesce(jsonb_agg(jsonb_build_object('caseName', shown ->> 'caseName', 'line', shown -> 'line',
          'firstFailure', left(shown ->> 'firstFailure', ${mostOfReason}))), '[]')
        from jsonb_array_elements(shown_cases) shown) as cases
      from test_suite_runs where id = any(${ids}::uuid[])`,
  ),
);

/** What a suite run has cost so far, with what helped to judge it; null when nothing had a known price. */
export const spentOfSuiteRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; usd: number | null }>`
      select s.id, ${sql.raw(spentUsdOfSuiteRun)} as usd from test_suite_runs s where s.id = any(${ids}::uuid[])`,
  ),
);

/** How long the agent took, as mean over the cases of a suite run; null where nothing is known. */
export const latencyOfSuiteRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; ms: number | null }>`
      select suite_run_id as id, avg(latency_ms) as ms from case_summaries
      where suite_run_id = any(${ids}::uuid[]) group by suite_run_id`,
  ),
);

interface SuiteRunsQuestion {
  tenantId: string;
  bounds: RunBounds;
  filter: SharedFilter & { cellKey?: string | null | undefined };
  order: TimeOrder | null | undefined;
}

/** A page of the tenant's suite runs that runs are about: no base beside them, nothing that was asked again. */
export async function listSuiteRuns(
  database: Database,
  { tenantId, bounds, filter, order }: SuiteRunsQuestion,
  page: PageRequest,
): Promise<PageOf<SuiteRunView>> {
  const by = timeOrder(sql`s`, order);
  const { from, rest, position } = pageOf(by, page);
  const where = allOf([
    sql`s.variant <> 'baseline' and s.purpose = 'first'`,
    ...runConditions(bounds, filter),
    filter.status && sql`s.status = ${filter.status}`,
    filter.verdict && sql`s.verdict = ${filter.verdict}`,
    filter.suiteId && sql`s.suite_id = ${filter.suiteId}`,
    typeof filter.cellKey === 'string' && sql`s.cell_key = ${filter.cellKey}`,
    ...facetsIn(filter).map(
      (facet) => sql`exists (
        select from suite_run_facets f
        where f.facet = ${facet} and f.created_at = s.created_at and f.run_id = s.run_id and f.suite_run_id = s.id)`,
    ),
    filter.createdAfter && sql`s.created_at > ${filter.createdAfter}::timestamptz`,
    filter.createdBefore && sql`s.created_at < ${filter.createdBefore}::timestamptz`,
    by.only,
    from,
  ]);
  const rows = await readInTenant(
    database,
    tenantId,
    sql<SuiteRunView>`${prepared}
      select ${columns}, ${position} as position from test_suite_runs s
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where ${where} ${rest}`,
  );
  return toPage(page, rows);
}

/** Of the suite runs `s`: those of the newest ended run of a suite. */
const isNewest = (onlyBase: boolean) => sql`
  s.suite_id = ${owner} and s.variant <> 'baseline' and s.purpose = 'first' and s.run_id = (
    select n.run_id from test_suite_runs n join runs r on r.tenant_id = n.tenant_id and r.id = n.run_id
    where n.suite_id = ${owner} and n.completed_at is not null and n.variant <> 'baseline' and n.purpose = 'first'
      and (r.is_base or ${!onlyBase}::boolean)
    order by n.created_at desc limit 1)`;

const newestOf = listOf(
  ({ onlyBase }: { onlyBase: boolean }) => sql<SuiteRunView>`
    select ${columns}, ${byTime} as position from test_suite_runs s
    where ${isNewest(onlyBase)} order by s.sort_order, s.id`,
);

/** The suite runs of the newest ended run of a suite, one for each cell. */
export const newestSuiteRuns = (context: GraphqlContext, suiteId: string, onlyBase: boolean): Promise<SuiteRunView[]> =>
  newestOf(context, suiteId, { onlyBase });

/** How one cell of a suite developed, newest first. */
export interface CellCurve {
  cellKey: string;
  points: SuiteRunView[];
}

interface CurvesQuestion {
  onlyBase: boolean;
  cells: number;
  points: number;
}

const pointsOf = listOf(
  ({ onlyBase, cells, points }: CurvesQuestion) => sql<SuiteRunView>`
    select p.* from (
      select s.cell_key, s.sort_order, s.id from test_suite_runs s
      where ${isNewest(onlyBase)} order by s.sort_order, s.id limit ${cells}) cell
    cross join lateral (
      select ${columns}, ${byTime} as position from test_suite_runs s
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where s.suite_id = ${owner} and s.cell_key = cell.cell_key and s.completed_at is not null
        and s.variant <> 'baseline' and s.purpose = 'first' and (r.is_base or ${!onlyBase}::boolean)
      order by s.created_at desc, s.id limit ${points}) p
    order by cell.sort_order, cell.id, p."createdAt" desc, p.id`,
);

/** Of each cell that the newest ended run of a suite has, as many ended suite runs as wanted: no cell takes the room of another. */
export async function cellCurves(
  context: GraphqlContext,
  suiteId: string,
  question: CurvesQuestion,
): Promise<CellCurve[]> {
  const points = await pointsOf(context, suiteId, question);
  return [...Map.groupBy(points, ({ cellKey }) => cellKey)].map(([cellKey, of]) => ({ cellKey, points: of }));
}

interface HistoryQuestion {
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  /** Only those that others are compared with. */
  onlyBase: boolean;
  page: PageRequest;
}

const historyOf = listOf(({ cellKey, onlyBase, page }: HistoryQuestion) => {
  const { from, rest, position } = pageOf({ key: sql`s.created_at`, id: sql`s.id`, isDescending: true }, page);
  const conditions = [
    sql`s.suite_id = ${owner} and s.completed_at is not null and s.variant <> 'baseline' and s.purpose = 'first'`,
    cellKey === null ? sql`true` : sql`s.cell_key = ${cellKey}`,
    onlyBase ? sql`r.is_base` : sql`true`,
    from,
  ];
  return sql<SuiteRunView>`
    select ${columns}, ${position} as position from test_suite_runs s
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where ${sql.join(conditions, sql` and `)} ${rest}`;
});

/** A page of a suite's ended suite runs, newest first: how it developed. */
export async function listHistory(
  context: GraphqlContext,
  suiteId: string,
  question: HistoryQuestion,
): Promise<PageOf<SuiteRunView>> {
  return toPage(question.page, await historyOf(context, suiteId, question));
}
