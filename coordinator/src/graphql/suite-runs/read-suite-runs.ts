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
import { type PageOf, type PageRequest, toPage } from '../connection.ts';
import type { GraphqlContext } from '../context.ts';
import { byId, listBy, listOf, owner } from '../loaders.ts';

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
  position: column<string[]>(sql`array[s.created_at::text, s.id::text]`),
};

/** One suite with one combination of matrix values and one variant, inside a run. */
export type SuiteRunView = RowOf<typeof suiteRunColumns>;

const columns = selectList('s', suiteRunColumns);

/** The suite runs with these ids that belong to the tenant, in no order. */
async function readSuiteRuns(database: Database, tenantId: string, ids: readonly string[]): Promise<SuiteRunView[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<SuiteRunView>`${prepared} select ${columns} from test_suite_runs s where s.id = any(${ids}::uuid[])`,
  );
}

/** The suite runs of these runs, in the order in which they were planned. */
async function readSuiteRunsOf(
  database: Database,
  tenantId: string,
  runIds: readonly string[],
): Promise<SuiteRunView[]> {
  // What labelled answers come to is part of a verdict, and no result of the run.
  const asked = sql`s.run_id = any(${runIds}::uuid[]) and s.purpose <> 'calibrate'`;
  const where = sql`where ${asked} order by s.sort_order, s.id`;
  return await readInTenant(database, tenantId, sql<SuiteRunView>`select ${columns} from test_suite_runs s ${where}`);
}

/** The suite run with an id, or null. */
export const suiteRunById = byId(readSuiteRuns);

/** The suite runs of a run. */
export const suiteRunsOf = listBy(readSuiteRunsOf, ({ runId }) => runId);

/** What of a suite run may be large: read where it is asked for, and for no list that only shows states. */
export const detailsOfSuiteRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; verdict: Verdict | null; resolvedVariables: ResolvedVariables | null }>`
      select id, verdict_detail as verdict, resolved_variables as "resolvedVariables"
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

interface HistoryQuestion {
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  /** Only those that others are compared with. */
  onlyBase: boolean;
  page: PageRequest;
}

const historyOf = listOf(({ cellKey, onlyBase, page }: HistoryQuestion) => {
  const comparison = page.isBackwards ? sql`>` : sql`<`;
  const direction = page.isBackwards ? sql`asc` : sql`desc`;
  const [createdAt, id] = page.from ?? [];
  const conditions = [
    sql`s.suite_id = ${owner} and s.completed_at is not null and s.variant <> 'baseline' and s.purpose = 'first'`,
    cellKey === null ? sql`true` : sql`s.cell_key = ${cellKey}`,
    onlyBase ? sql`r.is_base` : sql`true`,
    page.from === null ? sql`true` : sql`(s.created_at, s.id) ${comparison} (${createdAt}::timestamptz, ${id}::uuid)`,
  ];
  return sql<SuiteRunView>`
    select ${columns} from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where ${sql.join(conditions, sql` and `)}
    order by s.created_at ${direction}, s.id ${direction} limit ${page.size + 1}`;
});

/** A page of a suite's ended suite runs, newest first: how it developed. */
export async function listHistory(
  context: GraphqlContext,
  suiteId: string,
  question: HistoryQuestion,
): Promise<PageOf<SuiteRunView>> {
  return toPage(question.page, await historyOf(context, suiteId, question));
}
