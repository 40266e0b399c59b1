import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

const windowTrials = 20;
const windowDays = 60;
const leastTrials = 10;

/**
 * Measures anew how much the cases of a suite pass and fail by themselves: 4·p·(1 − p) over the newest scored trials of
 * the base branch that may be compared with those of this base run; null below ten of them.
 */
export async function updateFlakiness(
  em: EntityManager,
  { tenantId, id, suiteId, cellKey, settingKey }: SuiteRunToJudge,
): Promise<void> {
  await sql`
    with own as (
      select distinct test_case_id, case_key, case_hash, instrument_hash from test_case_results
      where tenant_id = ${tenantId} and run_id = ${id}),
    newest as (
      select o.test_case_id, (c.status = 'passed')::int as passed,
        row_number() over (partition by o.test_case_id order by c.created_at desc) as position
      from own o
      join test_case_results c on c.tenant_id = ${tenantId} and c.test_case_id = o.test_case_id
        and (c.case_key, c.case_hash, c.instrument_hash) = (o.case_key, o.case_hash, o.instrument_hash)
      join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.setting_key = ${settingKey}
        and s.status = 'completed' and r.is_base and c.status in ('passed', 'failed')
        and c.created_at > now() - ${windowDays} * interval '1 day'),
    measured as (
      select test_case_id, case when count(*) >= ${leastTrials} then 4 * avg(passed) * (1 - avg(passed)) end as flakiness
      from newest where position <= ${windowTrials} group by 1)
    update test_cases t set flakiness = m.flakiness from measured m
    where t.tenant_id = ${tenantId} and t.id = m.test_case_id and t.flakiness is distinct from m.flakiness`.execute(
    em.getKysely(),
  );
}
