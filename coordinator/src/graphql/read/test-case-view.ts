import type { TestCase } from '@proofmark/contracts/test-case';
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type Database, inTenant } from '../../database/connect.ts';
import { ownRows } from '../../definitions/reach.ts';
import { caseDefinition } from '../../definitions/stored-suite.ts';
import { type Page, type PageRequest, type PageRow, toPage } from './page.ts';

export interface TestCaseView extends PageRow {
  id: string;
  suiteId: string;
  definition: TestCase;
  sortOrder: number;
  line: number | null;
  flakiness: number | null;
  createdAt: string;
  updatedAt: string;
}

export interface CaseFilter {
  tag?: string | null | undefined;
  status?: string | null | undefined;
  difficulty?: string | null | undefined;
}

const visible = (caller: Caller) => sql`c.deleted_at is null and s.deleted_at is null and a.deleted_at is null
  and ${ownRows(caller, sql`a.repository_id`)}`;

const select = (conditions: RawBuilder<unknown>) => sql<TestCaseView>`
  select c.id, c.suite_id as "suiteId", ${caseDefinition} as definition, c.sort_order as "sortOrder", c.line, c.flakiness,
    c.created_at as "createdAt", c.updated_at as "updatedAt",
    array[c.sort_order::text, c.created_at::text, c.id::text] as position
  from test_cases c
  join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id
  join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
  where ${conditions}`;

/** The case, or null when there is none that the caller may see. */
export async function readTestCase(database: Database, caller: Caller, id: string): Promise<TestCaseView | null> {
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await select(sql`${visible(caller)} and c.id = ${id}`).execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** A page of a suite's cases in the order in which they run. */
export async function listTestCases(
  database: Database,
  caller: Caller,
  { suiteId, tag, status, difficulty }: CaseFilter & { suiteId: string },
  page: PageRequest,
): Promise<Page<TestCaseView>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [order, createdAt, id] = page.from ?? [];
  const conditions = [
    visible(caller),
    sql`c.suite_id = ${suiteId}`,
    ...(tag ? [sql`c.tags @> array[${tag}]::text[]`] : []),
    ...(status ? [sql`c.status = ${status}`] : []),
    ...(difficulty ? [sql`c.difficulty = ${difficulty}`] : []),
    ...(page.from === null
      ? []
      : [
          sql`(c.sort_order, c.created_at, c.id) ${comparison} (${order}::int, ${createdAt}::timestamptz, ${id}::uuid)`,
        ]),
  ];
  const sorted = sql`order by c.sort_order ${direction}, c.created_at ${direction}, c.id ${direction} limit ${page.size + 1}`;
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await select(sql`${sql.join(conditions, sql` and `)} ${sorted}`).execute(em.getKysely());
    return toPage(page, rows);
  });
}
