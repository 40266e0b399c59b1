import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassCount } from '@proofmark/contracts/verdict';
import { measureFlakiness } from '@proofmark/domain/flakiness';
import { sql } from 'kysely';
import { type Columns, unnest } from '../database/unnest.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

const columns: Columns<{ name: string; flakiness: number | null }> = {
  name: { type: 'text', of: ({ name }) => name },
  flakiness: { type: 'float8', of: ({ flakiness }) => flakiness },
};

/** Stores on the cases of a base run how flaky they are by now. */
export async function updateFlakiness(
  em: EntityManager,
  { tenantId, suiteId }: SuiteRunToJudge,
  windows: ReadonlyMap<string, PassCount>,
): Promise<void> {
  const measured = [...windows].map(([name, window]) => ({ name, flakiness: measureFlakiness(window) }));
  await sql`
    update test_cases t set flakiness = m.flakiness from ${unnest(measured, columns, 'm')}
    where t.tenant_id = ${tenantId} and t.suite_id = ${suiteId} and t.name = m.name and t.deleted_at is null
      and t.flakiness is distinct from m.flakiness`.execute(em.getKysely());
}
