import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Columns, unnest } from '../database/unnest.ts';
import { caseColumns, caseValues, type ListedRow, placeColumns } from './case-columns.ts';
import type { Homes } from './settle-homes.ts';

interface Storing {
  tenantId: string;
  /** The suites that are stored now. */
  suiteIds: readonly string[];
  included: Homes<ListedRow>['included'];
  /** Ids of the own cases, by suite and name. */
  ids: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** False for a proposal: it has no say in which suite includes what. */
  mayChange: boolean;
}

/** A case that a suite includes, whose home is another. */
interface IncludedCase {
  listed: ListedRow;
  caseId: string;
  homeId: string;
}

const memberColumns: Columns<IncludedCase> = {
  suite_id: { type: 'uuid', of: ({ listed }) => listed.suiteId },
  test_case_id: { type: 'uuid', of: ({ caseId }) => caseId },
  sort_order: { type: 'int4', of: ({ listed }) => listed.sortOrder },
};

/** Makes every suite include the cases that it shares with others, and returns their ids by suite and name (C43). */
export async function storeIncluded(em: EntityManager, storing: Storing): Promise<Map<string, Map<string, string>>> {
  const included = storing.included.map(({ listed, home }) => withId(listed, home, storing.ids));
  if (storing.mayChange) {
    await updateElsewhere(em, storing, included);
    await storeMembers(em, storing, included);
  }
  const bySuite = Map.groupBy(included, ({ listed }) => listed.suiteId);
  return new Map(
    [...bySuite].map(([suiteId, ofSuite]) => [
      suiteId,
      new Map(ofSuite.map(({ listed, caseId }) => [listed.name, caseId])),
    ]),
  );
}

function withId(
  listed: ListedRow,
  home: Homes<ListedRow>['included'][number]['home'],
  ids: Storing['ids'],
): IncludedCase {
  const caseId = 'caseId' in home ? home.caseId : ids.get(home.suiteId)?.get(listed.name);
  if (caseId === undefined) throw new Error(`the case ${listed.name} has no home`);
  return { listed, caseId, homeId: home.suiteId };
}

const contentColumns: Columns<IncludedCase> = {
  id: { type: 'uuid', of: ({ caseId }) => caseId },
  ...Object.fromEntries(
    Object.entries(caseColumns).map(([name, { type, of }]) => [
      name,
      { type, of: ({ listed }: IncludedCase) => of(listed) },
    ]),
  ),
};

/** What their file says now of cases whose home is not among these suites. */
async function updateElsewhere(
  em: EntityManager,
  { tenantId, suiteIds }: Storing,
  included: readonly IncludedCase[],
): Promise<void> {
  const elsewhere = included.filter(({ homeId }) => !suiteIds.includes(homeId));
  const once = [...new Map(elsewhere.map((included) => [included.caseId, included])).values()];
  if (once.length === 0) return;
  const columns = Object.keys(caseColumns).filter((name) => !placeColumns.includes(name));
  const values = caseValues('c', columns);
  const assignments = columns.map((name, index) => sql`${sql.ref(name)} = ${values[index]}`);
  await sql`
    update test_cases t set ${sql.join(assignments)}, updated_at = now() from ${unnest(once, contentColumns, 'c')}
    where t.tenant_id = ${tenantId} and t.id = c.id and t.definition is distinct from c.definition`.execute(
    em.getKysely(),
  );
}

async function storeMembers(
  em: EntityManager,
  { tenantId, suiteIds }: Storing,
  included: readonly IncludedCase[],
): Promise<void> {
  const kysely = em.getKysely();
  const members = unnest(included, memberColumns, 'n');
  await sql`
    delete from test_suite_members m where m.tenant_id = ${tenantId} and m.suite_id = any(${suiteIds}::uuid[])
      and not exists (select 1 from ${members} where n.suite_id = m.suite_id and n.test_case_id = m.test_case_id)`.execute(
    kysely,
  );
  if (included.length === 0) return;
  await sql`
    insert into test_suite_members as m (tenant_id, suite_id, test_case_id, sort_order)
    select ${tenantId}::uuid, n.* from ${members} order by n.suite_id, n.test_case_id
    on conflict (tenant_id, suite_id, test_case_id) do update set sort_order = excluded.sort_order
    where m.sort_order is distinct from excluded.sort_order`.execute(kysely);
}
