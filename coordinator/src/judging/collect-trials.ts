import type { EntityManager } from '@mikro-orm/postgresql';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { type Database, readInTenant } from '../database/transactions.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A trial as it stands in its row. */
interface TrialRow extends Omit<Trial, 'comparabilityKey' | 'cluster'> {
  suiteRunId: string;
  caseHash: string;
  instrumentHash: string;
}

const columns = sql`
  c.run_id as "suiteRunId", c.case_name as "caseName", c.repetition, c.status, c.error_kind as "errorKind",
  left(c.error_message, 500) as "errorMessage", c.skip_reason as "skipReason", c.latency_ms as "latencyMs",
  c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd as "costUsd",
  case when c.metric_results <> '[]' then (
    select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
    from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
  c.adjustments, c.case_hash as "caseHash", c.instrument_hash as "instrumentHash"`;

/** What the trials of a suite run have in common: read once, for its clusters name all of its cases. */
export interface SuiteRunOfTrials {
  id: string;
  settingKey: string;
  clusters: Record<string, string> | null;
}

/** The columns of it, of `test_suite_runs`. */
export const suiteRunOfTrials = sql`id, setting_key as "settingKey", clusters`;

/** The rows as trials, in their order: which of them may be compared depends on three hashes. */
function toTrials<Row extends TrialRow>(suiteRuns: readonly SuiteRunOfTrials[], rows: readonly Row[]): (Row & Trial)[] {
  const byId = new Map(
    suiteRuns.map(({ id, settingKey, clusters }) => [
      id,
      { settingKey, clusters: new Map(Object.entries(clusters ?? {})) },
    ]),
  );
  return rows.flatMap((row) => {
    const suiteRun = byId.get(row.suiteRunId);
    if (suiteRun === undefined) return [];
    const cluster = suiteRun.clusters.get(row.caseName) ?? null;
    return {
      ...row,
      cluster,
      comparabilityKey: comparabilityKey(row.caseHash, row.instrumentHash, suiteRun.settingKey),
    };
  });
}

const rowsOf = (tenantId: string, suiteRunIds: readonly string[]): RawBuilder<TrialRow> => sql<TrialRow>`${prepared}
  select ${columns} from test_case_results c
  where c.tenant_id = ${tenantId} and c.run_id = any(${suiteRunIds}::uuid[])
  order by c.run_id, c.sort_order, c.repetition`;

/** All trials of each of these suite runs in suite order, skipped ones included, as the tenant itself sees them. */
export async function readTrials(
  database: Database,
  tenantId: string,
  suiteRuns: readonly SuiteRunOfTrials[],
): Promise<Map<string, Trial[]>> {
  const rows = await readInTenant(
    database,
    tenantId,
    rowsOf(
      tenantId,
      suiteRuns.map(({ id }) => id),
    ),
  );
  return Map.groupBy(toTrials(suiteRuns, rows), ({ suiteRunId }) => suiteRunId);
}

/** The same of one, within a transaction. */
export async function trialsOf(em: EntityManager, tenantId: string, suiteRunId: string): Promise<Trial[]> {
  const { rows } = await rowsOf(tenantId, [suiteRunId]).execute(em.getKysely());
  return toTrials(await suiteRunsIn(em, rows), rows);
}

async function suiteRunsIn(em: EntityManager, rows: readonly TrialRow[]): Promise<SuiteRunOfTrials[]> {
  const ids = [...new Set(rows.map(({ suiteRunId }) => suiteRunId))];
  const found = await sql<SuiteRunOfTrials>`${prepared}
    select ${suiteRunOfTrials} from test_suite_runs where id = any(${ids}::uuid[])`.execute(em.getKysely());
  return found.rows;
}

/**
 * Executed trials of the same agent in earlier runs of the same pull request, and how many runs those are: running again
 * adds evidence and draws no new ticket. Results that were taken over are there once. Only trials that may be compared with those of this suite run.
 */
export async function pooledTrials(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
): Promise<{ trials: Trial[]; runs: number }> {
  const { tenantId, id, runId, suiteId, cellKey, agentHash, settingKey, repositoryId, pullRequest, takenFrom } =
    suiteRun;
  if (repositoryId === null || pullRequest === null) return { trials: [], runs: 0 };
  const { rows } = await sql<TrialRow & { runId: string }>`
    select ${columns}, r.id as "runId" from test_case_results c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.pull_request = ${pullRequest}
      and r.id <> ${runId} and s.taken_from is null and s.id is distinct from ${takenFrom?.suiteRunId ?? null}::uuid and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant <> 'baseline'
      and s.purpose = 'first' and s.status = 'completed' and s.agent_hash = ${agentHash} and s.setting_key = ${settingKey}
      and c.status <> 'skipped' and exists (
        select 1 from test_case_results o where o.tenant_id = c.tenant_id and o.run_id = ${id}
          and (o.case_key, o.case_hash, o.instrument_hash) = (c.case_key, c.case_hash, c.instrument_hash))
    order by c.created_at desc`.execute(em.getKysely());
  return {
    trials: toTrials(await suiteRunsIn(em, rows), rows),
    runs: new Set(rows.map((row) => row.runId)).size,
  };
}
