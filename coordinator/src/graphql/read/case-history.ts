import type { PassCount } from '@proofmark/contracts/verdict';
import { flakinessWindow, isFlaky, measureFlakiness } from '@proofmark/domain/flakiness';
import { type RawBuilder, sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { newestWindow } from '../../runs/case-history.ts';

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
  tenantId: string;
  testCaseId: string;
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  onlyBase: boolean;
  size: number;
}

/** How a case ended in the newest suite runs, newest first; the baseline side of comparisons is left out. */
export function caseHistoryQuery(question: Omit<CaseHistoryQuestion, 'tenantId'>): RawBuilder<CaseHistoryPoint> {
  const { testCaseId, cellKey, onlyBase, size } = question;
  const conditions = [
    sql`h.test_case_id = ${testCaseId} and s.variant <> 'baseline' and s.purpose = 'first'`,
    cellKey === null ? sql`true` : sql`h.cell_key = ${cellKey}`,
    onlyBase ? sql`h.is_base` : sql`true`,
  ];
  return sql<CaseHistoryPoint>`
    select h.suite_run_id as "suiteRunId", s.run_id as "runId", h.cell_key as "cellKey", r.head_sha as "headSha",
      h.is_base as "isBase", h.agent_hash as "agentHash", h.case_hash as "caseHash", h.outcomes,
      h.latency_ms as "latencyMs", h.tokens, h.cost_usd as "costUsd", h.ended_at as "endedAt"
    from case_summaries h
    join test_suite_runs s on s.tenant_id = h.tenant_id and s.id = h.suite_run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where ${sql.join(conditions, sql` and `)} order by h.ended_at desc, h.suite_run_id limit ${size}`;
}

export async function readCaseHistory(database: Database, question: CaseHistoryQuestion): Promise<CaseHistoryPoint[]> {
  return await inTenant(database, question.tenantId, async (em) => {
    const { rows } = await caseHistoryQuery(question).execute(em.getKysely());
    return rows;
  });
}

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
  const { repositoryId, suiteId, testCaseId = null } = question;
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
        and (${testCaseId}::uuid is null or t.id = ${testCaseId}::uuid))
    select test_case_id as "testCaseId", name as "caseName", suite_id as "suiteId", suite_name as "suiteName",
      cell_key as "cellKey", outcomes
    from measured where newest = jsonb_build_array(case_hash, instrument_hash, setting_key)
    order by ended_at desc`;
}

async function readWindows(database: Database, question: WindowQuestion): Promise<WindowRow[]> {
  return await inTenant(database, question.tenantId, async (em) => {
    const { rows } = await flakyWindowsQuery(question).execute(em.getKysely());
    return rows;
  });
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
