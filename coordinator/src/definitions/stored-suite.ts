import type { EntityManager } from '@mikro-orm/postgresql';
import { AgentDefinition } from '@proofmark/contracts/agent-file';
import { Suite } from '@proofmark/contracts/suite';
import { TestCase } from '@proofmark/contracts/test-case';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { wholeDefinition } from './lean-case.ts';
import { type SuiteSettings, type WrittenSuite, writtenAgent, writtenCase, writtenSuite } from './write-files.ts';

const SuiteRow = z.object({
  id: z.string(),
  agentId: z.string(),
  repositoryId: z.string().nullable(),
  path: z.string().nullable(),
  definition: Suite.omit({ cases: true }),
  agent: AgentDefinition,
});

const CaseRow = z.object({ id: z.string(), definition: TestCase, sortOrder: z.int() });

/** A suite as it is stored, with everything that a run of it needs. */
export interface StoredSuite extends z.infer<typeof SuiteRow> {
  definition: SuiteSettings;
  /** Its own and those that it includes, in the order in which they run. */
  cases: z.infer<typeof CaseRow>[];
}

/** The whole suite of row `s`: what has a column of its own is read from there, the rest from the definition. */
export const suiteDefinition = sql`coalesce(s.definition, '{}') || jsonb_build_object('name', s.name,
  'description', s.description, 'schedule_type', s.schedule_type, 'schedule_time', s.schedule_time,
  'schedule_day_of_week', s.schedule_day_of_week, 'alert_on_regression', s.alert_on_regression,
  'alert_threshold_percent', s.alert_threshold_percent, 'is_enabled', s.is_enabled,
  'variables', coalesce(s.variables, '{}'))`;

/** The whole case of row `c`. */
export const caseDefinition = sql`${wholeDefinition(sql`c.definition`)} || jsonb_build_object('name', c.name,
  'description', c.description, 'kind', c.kind, 'input', c.question, 'expected_behavior', c.expected_behavior,
  'is_enabled', c.is_enabled, 'persona', c.persona, 'initial_message', c.initial_message,
  'user_context', c.user_context, 'max_turns', c.max_turns, 'expected_outcomes', c.expected_outcomes,
  'expected_tool_calls', c.expected_tool_calls, 'evaluation_criteria_override', c.evaluation_criteria_override,
  'tags', to_jsonb(c.tags), 'difficulty', c.difficulty, 'status', c.status, 'variables', c.variables)`;

/** The agent of row `a` as it is now. One that no run has touched since agents are kept whole has it in its newest snapshot. */
export const agentDefinition = sql`coalesce(a.definition, (
  select n.definition from agent_snapshots n where n.tenant_id = a.tenant_id and n.agent_id = a.id
  order by n.created_at desc limit 1))`;

/** The cases of a suite as a table expression: its own, and those of others that it includes (C43). */
export const listedCases = (suiteId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select o.tenant_id, o.id, o.sort_order from test_cases o where o.suite_id = ${suiteId}
  union all
  select m.tenant_id, m.test_case_id, m.sort_order from test_suite_members m where m.suite_id = ${suiteId})`;

const caseOrder = sql`l.sort_order, c.created_at, c.id`;

/** The suite, or null when the tenant has none with this id. `lock` keeps others from changing it until the transaction ends. */
export async function readSuite(em: EntityManager, suiteId: string, lock = false): Promise<StoredSuite | null> {
  const kysely = em.getKysely();
  const suites = await sql`
    select s.id, s.agent_id as "agentId", a.repository_id as "repositoryId", s.path, ${suiteDefinition} as definition,
      ${agentDefinition} as agent
    from agent_test_suites s join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
    where s.id = ${suiteId} and s.deleted_at is null and a.deleted_at is null
    ${lock ? sql`for no key update of s` : sql``}`.execute(kysely);
  if (suites.rows[0] === undefined) return null;
  const cases = await sql`
    select c.id, l.sort_order as "sortOrder", ${caseDefinition} as definition
    from ${listedCases(sql`${suiteId}::uuid`)} l join test_cases c on c.tenant_id = l.tenant_id and c.id = l.id
    where c.deleted_at is null order by ${caseOrder}`.execute(kysely);
  return { ...SuiteRow.parse(suites.rows[0]), cases: z.array(CaseRow).parse(cases.rows) };
}

/** The home suite of a case, or null when there is no such case. */
export async function suiteOfCase(em: EntityManager, caseId: string): Promise<string | null> {
  return firstId(em, sql`select suite_id as id from test_cases where id = ${caseId} and deleted_at is null`);
}

async function firstId(em: EntityManager, query: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await query.execute(em.getKysely());
  return z.array(z.object({ id: z.string() })).parse(rows)[0]?.id ?? null;
}

/** The suites that include a case beside its home, in one order. */
export async function suitesIncluding(em: EntityManager, caseId: string): Promise<string[]> {
  const { rows } = await sql`
    select suite_id as id from test_suite_members where test_case_id = ${caseId} order by suite_id`.execute(
    em.getKysely(),
  );
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id);
}

/** Whether the suite has or includes a case of this name. Two names that only look different are one. */
export const hasCaseNamed = ({ cases }: Pick<StoredSuite, 'cases'>, name: string): boolean =>
  cases.some(({ definition }) => definition.name.normalize('NFC') === name.normalize('NFC'));

/** Where the file of a suite stands, or would stand. */
export const pathOf = ({ id, path }: Pick<StoredSuite, 'id' | 'path'>): string => path ?? `suites/${id}.suite.json`;

/** The suite as files would say it. */
export const asWritten = (suite: StoredSuite): WrittenSuite => ({
  path: pathOf(suite),
  settings: writtenSuite(suite.definition),
  agent: writtenAgent(suite.agent),
  cases: suite.cases.map(({ id, definition }) => ({ id, written: writtenCase(definition) })),
});

/** The suite as one of its tests alone sees it: values, matrix and switch are the suite's, not the test's (S4-07, C43). */
export const forSingleTest = (suite: StoredSuite): StoredSuite => ({
  ...suite,
  definition: {
    ...suite.definition,
    variables: {},
    matrix: {},
    matrix_include: [],
    matrix_exclude: [],
    is_enabled: true,
  },
});
