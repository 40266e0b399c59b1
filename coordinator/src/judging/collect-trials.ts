import type { EntityManager } from '@mikro-orm/postgresql';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A trial as it stands in the rows: which of them may be compared depends on three hashes. */
const columns = sql`
  c.case_name as "caseName", c.repetition, c.status, c.error_kind as "errorKind", left(c.error_message, 500) as "errorMessage",
  c.skip_reason as "skipReason", s.clusters ->> c.case_name as cluster, c.latency_ms as "latencyMs",
  c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd as "costUsd",
  case when c.metric_results <> '[]' then (
    select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
    from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
  c.adjustments,
  jsonb_build_array(c.case_hash, c.instrument_hash, s.setting_key)::text as "comparabilityKey"`;

const suiteRunOfTrial = sql`join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id`;

/** All trials of each of these suite runs in suite order, skipped ones included. */
export async function trialsOfEach(
  em: EntityManager,
  tenantId: string,
  suiteRunIds: readonly string[],
): Promise<Map<string, Trial[]>> {
  const { rows } = await sql<Trial & { suiteRunId: string }>`
    select ${columns}, c.run_id as "suiteRunId" from test_case_results c ${suiteRunOfTrial}
    where c.tenant_id = ${tenantId} and c.run_id = any(${suiteRunIds}::uuid[])
    order by c.run_id, c.sort_order, c.repetition`.execute(em.getKysely());
  const trials = new Map<string, Trial[]>();
  for (const { suiteRunId, ...trial } of rows) {
    const known = trials.get(suiteRunId);
    if (known === undefined) trials.set(suiteRunId, [trial]);
    else known.push(trial);
  }
  return trials;
}

/** The same of one. */
export async function trialsOf(em: EntityManager, tenantId: string, suiteRunId: string): Promise<Trial[]> {
  return (await trialsOfEach(em, tenantId, [suiteRunId])).get(suiteRunId) ?? [];
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
  const { rows } = await sql<Trial & { runId: string }>`
    select ${columns}, r.id as "runId" from test_case_results c ${suiteRunOfTrial}
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.pull_request = ${pullRequest}
      and r.id <> ${runId} and s.taken_from is null and s.id is distinct from ${takenFrom?.suiteRunId ?? null}::uuid and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant <> 'baseline'
      and s.purpose = 'first' and s.status = 'completed' and s.agent_hash = ${agentHash} and s.setting_key = ${settingKey}
      and c.status <> 'skipped' and exists (
        select 1 from test_case_results o where o.tenant_id = c.tenant_id and o.run_id = ${id}
          and (o.case_key, o.case_hash, o.instrument_hash) = (c.case_key, c.case_hash, c.instrument_hash))
    order by c.created_at desc`.execute(em.getKysely());
  return {
    trials: rows.map(({ runId: _runId, ...trial }) => trial),
    runs: new Set(rows.map((row) => row.runId)).size,
  };
}
