import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';

/**
 * Points the suites at the rows of the judge and the test type that they name: those of their repository, else the
 * tenant's. A name without a row is null; a run of such a suite says so.
 */
export async function linkSuites(
  em: EntityManager,
  suites: 'all' | { ofRepository: string } | { id: string },
): Promise<void> {
  await sql`
    with wanted as (
      select s.tenant_id, s.id,
        ${named('model_configurations', sql`s.definition -> 'judge' ->> 'ai_configuration'`)} as judge,
        ${named('test_types', sql`s.definition ->> 'test_type'`)} as type
      from agent_test_suites s join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
      where s.deleted_at is null and ${condition(suites)} order by s.id)
    update agent_test_suites s set llm_judge_model_config_id = w.judge, test_type_id = w.type from wanted w
    where s.tenant_id = w.tenant_id and s.id = w.id
      and (s.llm_judge_model_config_id, s.test_type_id) is distinct from (w.judge, w.type)`.execute(em.getKysely());
}

function condition(suites: Parameters<typeof linkSuites>[1]): RawBuilder<unknown> {
  if (suites === 'all') return sql`true`;
  return 'id' in suites ? sql`s.id = ${suites.id}` : sql`a.repository_id = ${suites.ofRepository}`;
}

const named = (table: string, name: RawBuilder<unknown>) => sql`(
  select t.id from ${sql.table(table)} t
  where t.tenant_id = s.tenant_id and t.name = ${name} and t.deleted_at is null
    and (t.repository_id is null or t.repository_id = a.repository_id)
  order by t.repository_id nulls last limit 1)`;
