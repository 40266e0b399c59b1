import type { EntityManager } from '@mikro-orm/postgresql';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { TestCase } from '@proofmark/contracts/test-case';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';

export interface CaseRow {
  suiteId: string;
  suiteName: string;
  testCase: TestCase;
  sortOrder: number;
  line: number | null;
}

/** The columns of a case that come from its definition. */
export const caseColumns: Columns<CaseRow> = {
  suite_id: { type: 'uuid', of: ({ suiteId }) => suiteId },
  name: { type: 'text', of: ({ testCase }) => testCase.name },
  description: { type: 'text', of: ({ testCase }) => testCase.description },
  kind: { type: 'text', of: ({ testCase }) => testCase.kind },
  question: { type: 'text', of: ({ testCase }) => testCase.input },
  expected_behavior: { type: 'jsonb', of: ({ testCase }) => testCase.expected_behavior },
  sort_order: { type: 'int4', of: ({ sortOrder }) => sortOrder },
  is_enabled: { type: 'bool', of: ({ testCase }) => testCase.is_enabled },
  persona: { type: 'jsonb', of: ({ testCase }) => testCase.persona },
  initial_message: { type: 'text', of: ({ testCase }) => testCase.initial_message },
  user_context: { type: 'jsonb', of: ({ testCase }) => testCase.user_context },
  max_turns: { type: 'int4', of: ({ testCase }) => testCase.max_turns },
  expected_outcomes: { type: 'jsonb', of: ({ testCase }) => testCase.expected_outcomes },
  expected_tool_calls: { type: 'jsonb', of: ({ testCase }) => testCase.expected_tool_calls },
  evaluation_criteria_override: { type: 'text', of: ({ testCase }) => testCase.evaluation_criteria_override },
  // An array of arrays would have to be rectangular: tags travel as JSON.
  tags: { type: 'jsonb', of: ({ testCase }) => testCase.tags },
  difficulty: { type: 'text', of: ({ testCase }) => testCase.difficulty },
  status: { type: 'text', of: ({ testCase }) => testCase.status },
  variables: { type: 'jsonb', of: ({ testCase }) => testCase.variables },
  definition: { type: 'jsonb', of: ({ testCase }) => testCase },
  case_key: { type: 'text', of: ({ suiteName, testCase }) => canonicalJson([suiteName, testCase.name]) },
  line: { type: 'int4', of: ({ line }) => line },
};

/** What the columns become of a batch with this alias. */
export const caseValues = (alias: string, columns: readonly string[] = Object.keys(caseColumns)) =>
  columns.map((name) =>
    name === 'tags'
      ? sql`array(select jsonb_array_elements_text(${sql.ref(`${alias}.tags`)}))`
      : sql.ref(`${alias}.${name}`),
  );

const largestBatch = 500;

interface Storing {
  tenantId: string;
  suites: readonly { loaded: LoadedSuite; suiteId: string }[];
  mayChange: boolean;
}

/** Makes sure that every case of the suites exists, and returns the ids by path of the suite and name of the case. */
export async function storeCases(
  em: EntityManager,
  { tenantId, suites, mayChange }: Storing,
): Promise<Map<string, Map<string, string>>> {
  const all = suites.flatMap(({ loaded, suiteId }) => casesOf(loaded, suiteId));
  for (let start = 0; start < all.length; start += largestBatch) {
    await storeBatch(em, tenantId, all.slice(start, start + largestBatch), mayChange);
  }
  const suiteIds = suites.map(({ suiteId }) => suiteId);
  if (mayChange) await dropMissing(em, tenantId, all);
  const { rows } = await sql<{ id: string; suiteId: string; name: string }>`
    select id, suite_id as "suiteId", name from test_cases
    where tenant_id = ${tenantId} and suite_id = any(${suiteIds}::uuid[]) and deleted_at is null`.execute(
    em.getKysely(),
  );
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return new Map(
    suites.map(({ loaded, suiteId }) => [
      loaded.path,
      new Map((bySuite.get(suiteId) ?? []).map(({ name, id }) => [name, id])),
    ]),
  );
}

function casesOf({ suite, casePositions }: LoadedSuite, suiteId: string): CaseRow[] {
  return suite.cases.map((testCase, sortOrder) => ({
    suiteId,
    suiteName: suite.name,
    testCase,
    sortOrder,
    line: casePositions.get(testCase.name)?.line ?? null,
  }));
}

async function storeBatch(
  em: EntityManager,
  tenantId: string,
  batch: readonly CaseRow[],
  mayChange: boolean,
): Promise<void> {
  const kysely = em.getKysely();
  const rows = unnest(batch, caseColumns, 'c');
  const values = caseValues('c');
  await sql`
    insert into test_cases (tenant_id, ${names(caseColumns)})
    select ${tenantId}::uuid, ${sql.join(values)} from ${rows} order by c.suite_id, c.name
    on conflict (tenant_id, suite_id, name) where deleted_at is null do nothing`.execute(kysely);
  if (!mayChange) return;
  const assignments = Object.keys(caseColumns).map((name, index) => sql`${sql.ref(name)} = ${values[index]}`);
  await sql`
    update test_cases t set ${sql.join(assignments)}, updated_at = now() from ${rows}
    where t.tenant_id = ${tenantId} and t.suite_id = c.suite_id and t.name = c.name and t.deleted_at is null
      and (t.definition, t.sort_order, t.line) is distinct from (c.definition, c.sort_order, c.line)`.execute(kysely);
}

const keyColumns: Columns<CaseRow> = {
  suite_id: { type: 'uuid', of: ({ suiteId }) => suiteId },
  name: { type: 'text', of: ({ testCase }) => testCase.name },
};

/** A case that the base branch no longer has is hidden; its results stay readable. */
async function dropMissing(em: EntityManager, tenantId: string, all: readonly CaseRow[]): Promise<void> {
  await sql`
    with named as (select * from ${unnest(all, keyColumns, 'n')})
    update test_cases t set deleted_at = now(), updated_at = now()
    where t.tenant_id = ${tenantId} and t.deleted_at is null and t.suite_id in (select suite_id from named)
      and not exists (select 1 from named n where n.suite_id = t.suite_id and n.name = t.name)`.execute(em.getKysely());
}
