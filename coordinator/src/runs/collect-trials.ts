import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassCount } from '@proofmark/contracts/verdict';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { flakinessWindow } from '@proofmark/domain/flakiness';
import { type RawBuilder, sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A trial as it stands in the rows: which of them may be compared depends on these three. */
const columns = sql`
  c.case_name as "caseName", c.status, c.error_kind as "errorKind",
  jsonb_build_array(c.case_hash, c.instrument_hash, s.setting_key)::text as "comparabilityKey"`;

const suiteRunOfTrial = sql`join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id`;

async function select(em: EntityManager, query: RawBuilder<Trial>): Promise<Trial[]> {
  const { rows } = await query.execute(em.getKysely());
  return rows;
}

/** All trials of a suite run in suite order, skipped ones included. */
export async function trialsOf(em: EntityManager, tenantId: string, suiteRunId: string): Promise<Trial[]> {
  return select(
    em,
    sql`select ${columns} from test_case_results c ${suiteRunOfTrial}
      where c.tenant_id = ${tenantId} and c.run_id = ${suiteRunId} order by c.sort_order, c.repetition`,
  );
}

/**
 * Scored trials of the same agent in earlier runs of the same pull request: running again adds evidence and draws no new
 * ticket. Only trials that may be compared with those of this suite run.
 */
export async function pooledTrials(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<Trial[]> {
  const { tenantId, id, runId, suiteId, cellKey, agentHash, settingKey, repositoryId, pullRequest } = suiteRun;
  if (repositoryId === null || pullRequest === null) return [];
  return select(
    em,
    sql`select ${columns} from test_case_results c ${suiteRunOfTrial}
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.pull_request = ${pullRequest}
        and r.id <> ${runId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant <> 'baseline'
        and s.status = 'completed' and s.agent_hash = ${agentHash} and s.setting_key = ${settingKey}
        and c.status in ('passed', 'failed') and exists (
          select 1 from test_case_results o where o.tenant_id = c.tenant_id and o.run_id = ${id}
            and (o.case_key, o.case_hash, o.instrument_hash) = (c.case_key, c.case_hash, c.instrument_hash))
      order by c.created_at desc`,
  );
}

interface HistoryQuestion {
  suiteRun: SuiteRunToJudge;
  /** The agent that the comparison is with. */
  agentHash: string;
  /** Suite runs that are counted already. */
  without: readonly string[];
}

/** Scored trials of the base's agent on the base branch or beside a pull request: the newest of each case, not too old. */
export async function historyTrials(
  em: EntityManager,
  { suiteRun, agentHash, without }: HistoryQuestion,
): Promise<Trial[]> {
  const { tenantId, suiteId, cellKey, settingKey, settings } = suiteRun;
  return select(
    em,
    sql`select "caseName", status, "errorKind", "comparabilityKey" from (
        select ${columns}, c.created_at,
          row_number() over (partition by c.case_key, c.case_hash, c.instrument_hash order by c.created_at desc) as position
        from test_case_results c ${suiteRunOfTrial}
        join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
        where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey}
          and s.setting_key = ${settingKey} and s.agent_hash = ${agentHash} and s.status = 'completed'
          and (r.is_base or s.variant = 'baseline') and s.id <> all(${without}::uuid[]) and c.status in ('passed', 'failed')
          and c.created_at > now() - ${settings.gate.history_max_age_days} * interval '1 day') h
      where position <= ${settings.gate.history_trials} order by created_at desc`,
  );
}

/** The newest base-branch trials of each case of a suite run, whatever the agent was: what flakiness is measured by. */
export async function caseWindows(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<Map<string, PassCount>> {
  const { tenantId, id, suiteId, cellKey, settingKey } = suiteRun;
  const { rows } = await sql<PassCount & { caseName: string }>`
    with own as (
      select distinct case_name, case_key, case_hash, instrument_hash from test_case_results
      where tenant_id = ${tenantId} and run_id = ${id}),
    newest as (
      select o.case_name, c.status = 'passed' as passed,
        row_number() over (partition by c.case_key, c.case_hash, c.instrument_hash order by c.created_at desc) as position
      from test_case_results c ${suiteRunOfTrial}
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      join own o using (case_key, case_hash, instrument_hash)
      where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.setting_key = ${settingKey}
        and s.status = 'completed' and r.is_base and s.id <> ${id} and c.status in ('passed', 'failed')
        and c.created_at > now() - ${flakinessWindow.maxAgeDays} * interval '1 day')
    select case_name as "caseName", count(*) filter (where passed)::int as passed, count(*)::int as scored from newest
    where position <= ${flakinessWindow.trials} group by case_name`.execute(em.getKysely());
  return new Map(rows.map(({ caseName, passed, scored }) => [caseName, { passed, scored }]));
}
