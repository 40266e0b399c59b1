import type { PassCount } from '@proofmark/contracts/verdict';
import { flakinessWindow, isFlaky, measureFlakiness } from '@proofmark/domain/flakiness';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { newestWindow } from '../../judging/case-history.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRequest, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { TestCaseType, visibleCase } from '../definitions/test-cases.ts';
import { byRow, listOf, owner } from '../loaders.ts';
import { pageOf } from '../runs/run-filter.ts';
import { clampSize, costOfHistory, historyArguments } from './pass-rate-history.ts';

/** What a case came to in one suite run. */
export interface CaseHistoryPoint {
  suiteRunId: string;
  runId: string;
  cellKey: string;
  headSha: string | null;
  isBase: boolean;
  agentHash: string;
  caseHash: string;
  outcomes: string;
  latencyMs: number | null;
  tokens: number | null;
  costUsd: number | null;
  endedAt: string;
}

export interface CaseHistoryQuestion {
  /** Null: of any repository. */
  repositoryId: string | null;
  testCaseId: string;
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  onlyBase: boolean;
  size: number;
}

const pointColumns = sql`
  h.suite_run_id as "suiteRunId", s.run_id as "runId", h.cell_key as "cellKey", r.head_sha as "headSha",
  h.is_base as "isBase", h.agent_hash as "agentHash", h.case_hash as "caseHash", h.outcomes,
  h.latency_ms as "latencyMs", h.tokens, h.cost_usd as "costUsd", h.ended_at as "endedAt"`;

/** Summaries of a case with their suite run and run; the baseline side of comparisons is left out. */
const summariesWith = (
  ofCase: RawBuilder<unknown>,
  { cellKey, onlyBase }: Pick<CaseHistoryQuestion, 'cellKey' | 'onlyBase'>,
) => sql`
  from case_summaries h
  join test_suite_runs s on s.tenant_id = h.tenant_id and s.id = h.suite_run_id
  join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
  where ${ofCase} and s.variant <> 'baseline' and s.purpose = 'first'
    and ${cellKey === null ? sql`true` : sql`h.cell_key = ${cellKey}`} and ${onlyBase ? sql`h.is_base` : sql`true`}`;

type HistoryRow = { flakiness: number | null } & (CaseHistoryPoint | Record<keyof CaseHistoryPoint, null>);

/** How shaky a case is and how it ended in the newest suite runs, newest first; no row when there is none that the caller may see. */
export function caseHistoryQuery(question: CaseHistoryQuestion): RawBuilder<HistoryRow> {
  const { testCaseId, size } = question;
  return sql<HistoryRow>`${prepared}
    select c.flakiness, p.* from ${visibleCase(question, sql`${testCaseId}`)} c left join lateral (
      select ${pointColumns} ${summariesWith(sql`h.test_case_id = c.id`, question)}
      order by h.ended_at desc, h.suite_run_id limit ${size}) p on true
    order by p."endedAt" desc, p."suiteRunId"`;
}

interface HistoryPage {
  cellKey: string | null;
  onlyBase: boolean;
  page: PageRequest;
}

const pointsOf = listOf(({ cellKey, onlyBase, page }: HistoryPage) => {
  const order = { key: sql`h.ended_at`, isDescending: true, id: sql`h.suite_run_id` };
  const { from, rest, position } = pageOf(order, page);
  return sql<CaseHistoryPoint & PageRow>`
    select ${pointColumns}, ${position} as position ${summariesWith(sql`h.test_case_id = ${owner}`, { cellKey, onlyBase })}
      and ${from} ${rest}`;
});

/** A case that passes and fails by itself in one combination of matrix values. */
export interface FlakyCaseView extends PassCount {
  testCaseId: string;
  caseName: string;
  suiteId: string;
  suiteName: string;
  cellKey: string;
  flakiness: number;
}

interface WindowRow {
  testCaseId: string;
  caseName: string;
  suiteId: string;
  suiteName: string;
  cellKey: string;
  outcomes: string;
}

export interface WindowQuestion {
  tenantId: string;
  /** Null: the cases of all repositories. */
  repositoryId: string | null;
  suiteId: string | null;
  testCaseId?: string;
}

/** Of one case in all its cells and suites: enough for twenty trials in fifty of them. */
const mostSummaries = 1_000;

/** Summaries of the base branch by which cases are measured: of each case and cell those that may be compared with its newest. */
export function flakyWindowsQuery(question: Omit<WindowQuestion, 'tenantId'>): RawBuilder<WindowRow> {
  const { repositoryId, suiteId, testCaseId } = question;
  return sql<WindowRow>`
    with measured as (
      select h.*, t.name, u.name as suite_name,
        first_value(jsonb_build_array(h.case_hash, h.instrument_hash, h.setting_key))
          over (partition by h.test_case_id, h.suite_id, h.cell_key order by h.ended_at desc) as newest
      from test_cases t cross join lateral (
        select * from case_summaries s
        where s.tenant_id = t.tenant_id and s.test_case_id = t.id and s.is_base and s.is_history
          and s.ended_at > now() - ${flakinessWindow.maxAgeDays} * interval '1 day'
          and (${suiteId}::uuid is null or s.suite_id = ${suiteId}::uuid)
        order by s.ended_at desc limit ${mostSummaries}) h
      join agent_test_suites u on u.tenant_id = h.tenant_id and u.id = h.suite_id and u.deleted_at is null
      join agents a on a.tenant_id = u.tenant_id and a.id = u.agent_id
      where t.deleted_at is null
        -- The measure of a case is that of its home; in another suite it may be shaky all the same.
        and (t.flakiness > 0 or t.suite_id <> h.suite_id)
        and (t.flakiness > 0 or exists (
          select 1 from test_suite_members m where m.tenant_id = t.tenant_id and m.test_case_id = t.id))
        and (${repositoryId}::uuid is null or a.repository_id = ${repositoryId}::uuid)
        and ${testCaseId === undefined ? sql`true` : sql`t.id = ${testCaseId}`})
    select test_case_id as "testCaseId", name as "caseName", suite_id as "suiteId", suite_name as "suiteName",
      cell_key as "cellKey", outcomes
    from measured where newest = jsonb_build_array(case_hash, instrument_hash, setting_key)
    order by ended_at desc`;
}

async function readWindows(database: Database, question: WindowQuestion): Promise<WindowRow[]> {
  return await readInTenant(database, question.tenantId, flakyWindowsQuery(question));
}

/** The cases that are in quarantine now, the shakiest first. */
export async function readFlakyCases(
  database: Database,
  { size, ...question }: WindowQuestion & { size: number },
): Promise<FlakyCaseView[]> {
  const groups = Map.groupBy(
    await readWindows(database, question),
    (row) => `${row.testCaseId} ${row.suiteId} ${row.cellKey}`,
  );
  return [...groups.values()]
    .flatMap((ofCase): FlakyCaseView[] => {
      const [first] = ofCase;
      const window = newestWindow(ofCase);
      if (first === undefined || !isFlaky(window)) return [];
      const { outcomes: _outcomes, ...identity } = first;
      return [{ ...identity, ...window, flakiness: measureFlakiness(window) ?? 0 }];
    })
    .toSorted((a, b) => b.flakiness - a.flakiness || a.caseName.localeCompare(b.caseName, 'en'))
    .slice(0, size);
}

/** How many cases of each suite are in quarantine now. All suites of a request share one reading. */
export const flakyCasesOf = byRow(async (database, tenantId, suiteIds: readonly string[]) => {
  const [only = null, ...others] = suiteIds;
  const suiteId = others.length === 0 ? only : null;
  const flaky = await readFlakyCases(database, {
    tenantId,
    repositoryId: null,
    suiteId,
    size: Number.POSITIVE_INFINITY,
  });
  const bySuite = Map.groupBy(flaky, (one) => one.suiteId);
  return suiteIds.map((id) => new Set(bySuite.get(id)?.map(({ testCaseId }) => testCaseId)).size);
});

interface CaseHistory {
  testCaseId: string;
  cellKey: string | null;
  flakiness: number | null;
  points: CaseHistoryPoint[];
}

const countOf = (outcomes: string, letters: string): number =>
  Array.from(outcomes).filter((letter) => letters.includes(letter)).length;

/** More passes than failures; null when nothing was scored. */
function isPassing({ outcomes }: CaseHistoryPoint): boolean | null {
  const [passed, failed] = [countOf(outcomes, 'p'), countOf(outcomes, 'f')];
  return passed + failed === 0 ? null : passed > failed;
}

/** The newest point at which the case changed sides; points come newest first. */
function lastChange(points: readonly CaseHistoryPoint[]): CaseHistoryPoint | null {
  const scored = points.filter((point) => isPassing(point) !== null);
  const before = scored.findIndex((point, index) => index > 0 && isPassing(point) !== isPassing(scored[0] ?? point));
  return before === -1 ? null : (scored[before - 1] ?? null);
}

export const CaseHistoryPointType = builder.objectRef<CaseHistoryPoint>('CaseHistoryPoint').implement({
  description: 'What a case came to in one suite run.',
  fields: (t) => ({
    suiteRunId: t.expose('suiteRunId', { type: 'UUID', description: 'Id of the suite run.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'Id of the run of that suite run.' }),
    cellKey: t.exposeString('cellKey', { description: 'The matrix values as one text; empty without a matrix.' }),
    headSha: t.exposeString('headSha', { nullable: true, description: 'The commit that was run.' }),
    isBase: t.exposeBoolean('isBase', { description: 'Whether it ran on the base branch.' }),
    agentHash: t.exposeString('agentHash', { description: 'The version of the agent.' }),
    caseHash: t.exposeString('caseHash', { description: 'The version of the case; another one is another question.' }),
    passed: t.int({ description: 'How many repetitions passed.', resolve: ({ outcomes }) => countOf(outcomes, 'p') }),
    failed: t.int({ description: 'How many repetitions failed.', resolve: ({ outcomes }) => countOf(outcomes, 'f') }),
    errored: t.int({
      description: 'Repetitions without a result.',
      resolve: ({ outcomes }) => countOf(outcomes, 'ei'),
    }),
    latencyMs: t.exposeFloat('latencyMs', { nullable: true, description: 'Mean time of the agent in milliseconds.' }),
    tokens: t.exposeFloat('tokens', { nullable: true, description: 'Mean of prompt and completion tokens together.' }),
    costUsd: t.exposeFloat('costUsd', { nullable: true, description: 'Mean cost of a repetition.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When the last repetition ended.' }),
  }),
});

const CaseHistoryConnectionType = builder.connectionObject(
  { type: CaseHistoryPointType, name: 'CaseHistoryConnection', description: 'A page of what a case came to.' },
  { name: 'CaseHistoryEdge', description: 'A row of a page of what a case came to.' },
);

builder.objectField(TestCaseType, 'history', (t) =>
  t.field({
    type: CaseHistoryConnectionType,
    args: {
      ...pageArguments(),
      cellKey: t.arg.string({ description: 'Only this combination of matrix values; absent: all of them.' }),
      onlyBase: t.arg.boolean({ defaultValue: false, description: 'Only runs that others are compared with.' }),
    },
    complexity: costOfPage,
    description: 'What it came to in each ended suite run, newest first: one row for each cell.',
    resolve: ({ id }, { cellKey = null, onlyBase, ...page }, context) => {
      const question = { cellKey, onlyBase: onlyBase ?? false };
      return readPage(context, `case-history ${id} ${cellKey ?? ''} ${onlyBase}`, page, async (request) =>
        toPage(request, await pointsOf(context, id, { ...question, page: request })),
      );
    },
  }),
);

const CaseHistoryType = builder.objectRef<CaseHistory>('CaseHistory').implement({
  description: 'How a case ended over time.',
  fields: (t) => ({
    points: t.field({
      type: [CaseHistoryPointType],
      deprecationReason: 'Ask testCase for `history`, which has pages as every list has.',
      description: 'Suite runs, newest first.',
      resolve: ({ points }) => points,
    }),
    flakiness: t.exposeFloat('flakiness', {
      nullable: true,
      description: '0 for a case that always ends alike, 1 for a coin; null below ten trials on the base branch.',
    }),
    isQuarantined: t.boolean({
      complexity: 10,
      description: 'Whether it is so flaky that it cannot fail a pull request alone.',
      resolve: async ({ testCaseId, cellKey }, _args, context) => {
        const { tenantId, repositoryId } = callerOf(context);
        const question = { tenantId, repositoryId, suiteId: null, testCaseId, size: 1_000 };
        const flaky = await readFlakyCases(context.ports.database, question);
        return flaky.some((one) => cellKey === null || one.cellKey === cellKey);
      },
    }),
    lastChange: t.field({
      type: CaseHistoryPointType,
      nullable: true,
      description: 'The suite run with which it began to pass or fail as it does now; null when it never changed.',
      resolve: ({ points }) => lastChange(points),
    }),
  }),
});

builder.queryField('caseHistory', (t) =>
  t.field({
    type: CaseHistoryType,
    nullable: true,
    authScopes: { readAll: true },
    args: {
      testCaseId: t.arg({ type: 'UUID', required: true, description: 'Id of the case.' }),
      ...historyArguments(),
    },
    complexity: costOfHistory,
    description: 'How a case ended over time; null when there is no such case.',
    resolve: async (_root, { testCaseId, cellKey, onlyBase, first }, context) => {
      const { tenantId, repositoryId } = callerOf(context);
      const of = { testCaseId, cellKey: cellKey ?? null };
      const question = { ...of, repositoryId, onlyBase: onlyBase ?? false, size: clampSize(first) };
      const rows = await readInTenant(context.ports.database, tenantId, caseHistoryQuery(question));
      const points = rows.filter((row) => row.suiteRunId !== null);
      return rows[0] === undefined ? null : { ...of, flakiness: rows[0].flakiness, points };
    },
  }),
);

export const FlakyCaseType = builder.objectRef<FlakyCaseView>('FlakyCase').implement({
  description: 'A case that passes and fails by itself on the base branch, measured and never declared by hand.',
  fields: (t) => ({
    testCaseId: t.expose('testCaseId', { type: 'UUID', description: 'Id of the case.' }),
    caseName: t.exposeString('caseName', { description: 'Name of the case.' }),
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'The suite in which it is flaky.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    cellKey: t.exposeString('cellKey', { description: 'The matrix values with which it is flaky.' }),
    passed: t.exposeInt('passed', { description: 'How many of its newest trials on the base branch passed.' }),
    scored: t.exposeInt('scored', { description: 'How many trials these are, 10 to 20.' }),
    flakiness: t.exposeFloat('flakiness', { description: '1 for a coin.' }),
  }),
});

builder.queryField('flakyCases', (t) =>
  t.field({
    type: [FlakyCaseType],
    authScopes: { readAll: true },
    args: {
      suiteId: t.arg({ type: 'UUID', description: 'Only those of this suite.' }),
      first: t.arg.int({ defaultValue: 50, description: 'How many at most, up to 500.' }),
    },
    complexity: 100,
    description: 'The cases that are in quarantine, the shakiest first.',
    resolve: async (_root, { suiteId, first }, context) => {
      const { tenantId, repositoryId } = callerOf(context);
      const question = { tenantId, repositoryId, suiteId: suiteId ?? null, size: clampSize(first) };
      return await readFlakyCases(context.ports.database, question);
    },
  }),
);
