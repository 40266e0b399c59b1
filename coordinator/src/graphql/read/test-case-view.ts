import type { TestCase } from '@proofmark/contracts/test-case';
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type Database, inTenant } from '../../database/connect.ts';
import { ownRows } from '../../definitions/reach.ts';
import { caseDefinition, listedCases } from '../../definitions/stored-suite.ts';
import { type Page, type PageRequest, type PageRow, toPage } from './page.ts';

export interface TestCaseView extends PageRow {
  id: string;
  /** Its home. */
  suiteId: string;
  testTypeName: string;
  definition: TestCase;
  /** Its place in the suite that is asked for: its home unless it is listed by another. */
  sortOrder: number;
  line: number | null;
  flakiness: number | null;
  /** The other suites that include it. */
  includedIn: { suiteId: string; suiteName: string; sortOrder: number }[];
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

const includedIn = sql`coalesce((
  select jsonb_agg(jsonb_build_object('suiteId', u.id, 'suiteName', u.name, 'sortOrder', m.sort_order) order by u.name, u.id)
  from test_suite_members m
  join agent_test_suites u on u.tenant_id = m.tenant_id and u.id = m.suite_id and u.deleted_at is null
  where m.tenant_id = c.tenant_id and m.test_case_id = c.id), '[]')`;

const select = (listed: RawBuilder<unknown>, conditions: RawBuilder<unknown>) => sql<TestCaseView>`
  select c.id, c.suite_id as "suiteId", coalesce(s.definition ->> 'test_type', 'agent-eval') as "testTypeName",
    ${caseDefinition} as definition, l.sort_order as "sortOrder", c.line, c.flakiness, ${includedIn} as "includedIn",
    c.created_at as "createdAt", c.updated_at as "updatedAt",
    array[l.sort_order::text, c.created_at::text, c.id::text] as position
  from ${listed} l
  join test_cases c on c.tenant_id = l.tenant_id and c.id = l.id
  join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id
  join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
  where ${conditions}`;

/** The case, or null when there is none that the caller may see. */
export async function readTestCase(database: Database, caller: Caller, id: string): Promise<TestCaseView | null> {
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await select(sql`test_cases`, sql`${visible(caller)} and c.id = ${id}`).execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** A page of a suite's cases, those that it includes among them, in the order in which they run. */
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
    ...(tag ? [sql`c.tags @> array[${tag}]::text[]`] : []),
    ...(status ? [sql`c.status = ${status}`] : []),
    ...(difficulty ? [sql`c.difficulty = ${difficulty}`] : []),
    ...(page.from === null
      ? []
      : [
          sql`(l.sort_order, c.created_at, c.id) ${comparison} (${order}::int, ${createdAt}::timestamptz, ${id}::uuid)`,
        ]),
  ];
  const sorted = sql`order by l.sort_order ${direction}, c.created_at ${direction}, c.id ${direction} limit ${page.size + 1}`;
  const listed = listedCases(sql`${suiteId}::uuid`);
  return await inTenant(database, caller.tenantId, async (em) => {
    const { rows } = await select(listed, sql`${sql.join(conditions, sql` and `)} ${sorted}`).execute(em.getKysely());
    return toPage(page, rows);
  });
}
