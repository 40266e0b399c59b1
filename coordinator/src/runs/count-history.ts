import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RowKey } from './row-key.ts';

const historyDays = 14;

/**
 * How many scored trials of the last two weeks the worst covered case of a base run has, over all runs of the same agent
 * with the same case, instrument and setting: what a comparison can lean on without running the base again.
 */
export async function countHistory(em: EntityManager, baseRun: RowKey): Promise<number> {
  const { rows } = await sql<{ trials: number }>`
    with wanted as (
      select distinct b.suite_id, b.cell_key, b.agent_hash, b.setting_key, o.case_key, o.case_hash, o.instrument_hash
      from test_suite_runs b join test_case_results o on o.tenant_id = b.tenant_id and o.run_id = b.id
      where b.tenant_id = ${baseRun.tenantId} and b.run_id = ${baseRun.id} and b.variant = 'head' and o.status <> 'skipped'),
    counted as (
      select count(c.id) as trials from wanted w
      left join test_suite_runs s on s.tenant_id = ${baseRun.tenantId} and s.suite_id = w.suite_id
        and (s.cell_key, s.agent_hash, s.setting_key) = (w.cell_key, w.agent_hash, w.setting_key)
        and s.status = 'completed' and (s.variant = 'baseline' or exists (
          select 1 from runs r where r.tenant_id = s.tenant_id and r.id = s.run_id and r.is_base))
      left join test_case_results c on c.tenant_id = s.tenant_id and c.run_id = s.id and c.status in ('passed', 'failed')
        and (c.case_key, c.case_hash, c.instrument_hash) = (w.case_key, w.case_hash, w.instrument_hash)
        and c.created_at > now() - ${historyDays} * interval '1 day'
      group by w.suite_id, w.cell_key, w.setting_key, w.case_key)
    select coalesce(min(trials), 0)::int as trials from counted`.execute(em.getKysely());
  return rows[0]?.trials ?? 0;
}
