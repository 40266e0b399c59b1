import type { EntityManager } from '@mikro-orm/postgresql';
import { measureFlakiness } from '@proofmark/domain/flakiness';
import { sql } from 'kysely';
import { type Columns, unnest } from '../database/unnest.ts';
import { caseWindows } from './case-history.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

const columns: Columns<[name: string, flakiness: number | null]> = {
  name: { type: 'text', of: ([name]) => name },
  flakiness: { type: 'float8', of: ([, flakiness]) => flakiness },
};

/** Stores on the cases of a base run how flaky they are by now: as much as in the cell where they are most. */
export async function updateFlakiness(em: EntityManager, cells: readonly SuiteRunToJudge[]): Promise<void> {
  const [first] = cells;
  if (first === undefined || !first.isBase) return;
  const measured = new Map<string, number | null>();
  for (const cell of cells) {
    for (const [name, window] of await caseWindows(em, cell)) {
      const [flakiness, elsewhere] = [measureFlakiness(window), measured.get(name) ?? null];
      measured.set(name, flakiness === null ? elsewhere : Math.max(flakiness, elsewhere ?? 0));
    }
  }
  await sql`
    update test_cases t set flakiness = m.flakiness from ${unnest([...measured], columns, 'm')}
    where t.tenant_id = ${first.tenantId} and t.suite_id = ${first.suiteId} and t.name = m.name and t.deleted_at is null
      and t.flakiness is distinct from m.flakiness`.execute(em.getKysely());
}
