import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';

const historyDays = 14;
/** More than decide how often the base runs. */
const mostSummaries = 40;

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
      select coalesce(sum(length(regexp_replace(h.outcomes, '[^pf]', '', 'g'))), 0) as trials from wanted w
      left join lateral (
        select s.outcomes from case_summaries s
        where s.tenant_id = ${baseRun.tenantId} and s.suite_id = w.suite_id and s.is_history
          and (s.cell_key, s.agent_hash, s.setting_key) = (w.cell_key, w.agent_hash, w.setting_key)
          and (s.case_key, s.case_hash, s.instrument_hash) = (w.case_key, w.case_hash, w.instrument_hash)
          and s.ended_at > now() - ${historyDays} * interval '1 day'
        order by s.ended_at desc limit ${mostSummaries}) h on true
      group by w.suite_id, w.cell_key, w.setting_key, w.case_key)
    select coalesce(min(trials), 0)::int as trials from counted`.execute(em.getKysely());
  return rows[0]?.trials ?? 0;
}
