import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { keysOf } from '../database/row-key.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/**
 * Keeps what every case of these completed suite runs came to, once however often it is asked. Results that were taken
 * over are no history: a head that was merged was selected for passing. Neither is what ran beside the head of a fork.
 */
export async function summariseCases(em: EntityManager, suiteRuns: readonly SuiteRunToJudge[]): Promise<void> {
  // An answer that was judged again is no further answer: it counts once, beside the head that asked for it.
  const completed = suiteRuns.filter(({ status, purpose }) => status === 'completed' && purpose !== 'rejudge');
  if (completed.length === 0) return;
  await sql`
    insert into case_summaries (tenant_id, suite_run_id, test_case_id, suite_id, cell_key, setting_key, agent_hash,
      case_name, case_key, case_hash, instrument_hash, is_base, is_history, outcomes, latency_ms, tokens, cost_usd, ended_at)
    select c.tenant_id, c.run_id, c.test_case_id, s.suite_id, s.cell_key, s.setting_key, s.agent_hash,
      min(c.case_name), min(c.case_key), min(c.case_hash), min(c.instrument_hash),
      bool_and(r.is_base and s.variant = 'head' and s.taken_from is null),
      bool_and((r.is_base or s.variant = 'baseline') and s.taken_from is null
        and r.trigger ->> 'isFork' is distinct from 'true'),
      string_agg(case when c.status = 'passed' then 'p' when c.status = 'failed' then 'f'
        when c.error_kind in ('agent', 'timeout', 'limit', 'variables') then 'e' else 'i' end, '' order by c.repetition),
      avg(c.latency_ms), avg(c.prompt_tokens + c.completion_tokens), avg(c.cost_usd), max(c.created_at)
    from test_case_results c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where (c.tenant_id, c.run_id) in ${keysOf(completed)} and c.status <> 'skipped'
    group by c.tenant_id, c.run_id, c.test_case_id, s.suite_id, s.cell_key, s.setting_key, s.agent_hash
    on conflict do nothing`.execute(em.getKysely());
}
