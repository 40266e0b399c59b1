import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * Gives the cases of suites that were deleted a home in the suite that has included them for longest (C43): a case lasts
 * as long as a suite has it.
 */
export async function rehomeCases(em: EntityManager): Promise<void> {
  await sql`
    with heirs as (
      select distinct on (m.tenant_id, m.test_case_id) m.tenant_id, m.test_case_id, m.suite_id, m.sort_order, s.name
      from test_suite_members m
      join agent_test_suites s on s.tenant_id = m.tenant_id and s.id = m.suite_id and s.deleted_at is null
      join test_cases c on c.tenant_id = m.tenant_id and c.id = m.test_case_id and c.deleted_at is null
      join agent_test_suites h on h.tenant_id = c.tenant_id and h.id = c.suite_id and h.deleted_at is not null
      order by m.tenant_id, m.test_case_id, m.created_at, m.suite_id),
    moved as (
      update test_cases c set suite_id = e.suite_id, sort_order = e.sort_order, line = null, updated_at = now(),
        case_key = '[' || to_json(e.name)::text || ',' || to_json(c.name)::text || ']'
      from heirs e where c.tenant_id = e.tenant_id and c.id = e.test_case_id)
    delete from test_suite_members m using heirs e
    where m.tenant_id = e.tenant_id and m.test_case_id = e.test_case_id and m.suite_id = e.suite_id`.execute(
    em.getKysely(),
  );
}
