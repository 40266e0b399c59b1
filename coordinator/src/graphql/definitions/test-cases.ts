import type { TestCase } from '@proofmark/contracts/test-case';
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { createTestCase, deleteTestCase, updateTestCase } from '../../definitions/change-test-cases.ts';
import { ownRows } from '../../definitions/reach.ts';
import { caseDefinition, listedCases } from '../../definitions/stored-suite.ts';
import { builder, type InputFields } from '../builder.ts';
import {
  costOfPage,
  type PageOf,
  type PageRequest,
  type PageRow,
  pageArguments,
  readPage,
  toPage,
} from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { byId, listOf, owner } from '../loaders.ts';
import { allOf, pageOf } from '../runs/run-filter.ts';
import { CaseStatusType, DifficultyType } from '../words.ts';
import { defineMutations } from './definitions.ts';

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

interface CaseFilter {
  tag?: string | null | undefined;
  status?: string | null | undefined;
  difficulty?: string | null | undefined;
}

const visible = (
  caller: Pick<Caller, 'repositoryId'>,
) => sql`c.deleted_at is null and s.deleted_at is null and a.deleted_at is null
  and ${ownRows(caller, sql`a.repository_id`)}`;

const includedIn = sql`coalesce((
  select jsonb_agg(jsonb_build_object('suiteId', u.id, 'suiteName', u.name, 'sortOrder', m.sort_order) order by u.name, u.id)
  from test_suite_members m
  join agent_test_suites u on u.tenant_id = m.tenant_id and u.id = m.suite_id and u.deleted_at is null
  where m.tenant_id = c.tenant_id and m.test_case_id = c.id), '[]')`;

const placeInSuite = sql`array[l.sort_order::text, c.created_at::text, c.id::text]`;

const select = (
  listed: RawBuilder<unknown>,
  conditions: RawBuilder<unknown>,
  position = placeInSuite,
) => sql<TestCaseView>`
  select c.id, c.suite_id as "suiteId", coalesce(s.definition ->> 'test_type', 'agent-eval') as "testTypeName",
    ${caseDefinition} as definition, l.sort_order as "sortOrder", c.line, c.flakiness, ${includedIn} as "includedIn",
    c.created_at as "createdAt", c.updated_at as "updatedAt",
    ${position} as position
  from ${listed} l
  join test_cases c on c.tenant_id = l.tenant_id and c.id = l.id
  join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id
  join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
  where ${conditions}`;

/** The case, or null when there is none that the caller may see. */
async function readTestCase(database: Database, caller: Caller, id: string): Promise<TestCaseView | null> {
  const rows = await readInTenant(
    database,
    caller.tenantId,
    sql<TestCaseView>`${prepared} ${select(sql`test_cases`, sql`${visible(caller)} and c.id = ${id}`)}`,
  );
  return rows[0] ?? null;
}

/** SQL: the row of this case, where the caller may see it. */
export const visibleCase = (caller: Pick<Caller, 'repositoryId'>, id: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select c.* from test_cases c
  join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id
  join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
  where ${visible(caller)} and c.id = ${id})`;

/** For a result that names it: whoever may see the result may see its case. */
export const testCaseById = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    select(sql`test_cases`, sql`${visible({ repositoryId: null })} and c.id = any(${ids}::uuid[])`),
  ),
);

const matching = ({ tag, status, difficulty }: CaseFilter): RawBuilder<unknown> =>
  allOf([
    tag && sql`c.tags @> array[${tag}]::text[]`,
    status && sql`c.status = ${status}`,
    difficulty && sql`c.difficulty = ${difficulty}`,
  ]);

type CasesQuestion = CaseFilter & { page: PageRequest };

const casesOf = listOf(({ tag, status, difficulty, page }: CasesQuestion, context) => {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [order, createdAt, id] = page.from ?? [];
  const conditions = [
    visible(callerOf(context)),
    matching({ tag, status, difficulty }),
    ...(page.from === null
      ? []
      : [
          sql`(l.sort_order, c.created_at, c.id) ${comparison} (${order}::int, ${createdAt}::timestamptz, ${id}::uuid)`,
        ]),
  ];
  const sorted = sql`order by l.sort_order ${direction}, c.created_at ${direction}, c.id ${direction} limit ${page.size + 1}`;
  return select(listedCases(owner), sql`${sql.join(conditions, sql` and `)} ${sorted}`);
});

/** A page of a suite's cases, those that it includes among them, in the order in which they run. */
export async function listTestCases(
  context: GraphqlContext,
  suiteId: string,
  question: CasesQuestion,
): Promise<PageOf<TestCaseView>> {
  return toPage(question.page, await casesOf(context, suiteId, question));
}

const InclusionType = builder.objectRef<TestCaseView['includedIn'][number]>('TestCaseInclusion').implement({
  description: 'A suite that includes a case whose home is another suite.',
  fields: (t) => ({
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'Id of that suite.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    sortOrder: t.exposeInt('sortOrder', { description: 'The place of the case in that suite.' }),
  }),
});

export const TestCaseType = builder.objectRef<TestCaseView>('TestCase').implement({
  description: 'One test of a suite, single-turn or simulated, with what is expected.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the case.' }),
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'Its home, the suite that it belongs to.' }),
    includedIn: t.field({
      type: [InclusionType],
      description: 'Other suites that include it.',
      resolve: ({ includedIn }) => includedIn,
    }),
    testTypeName: t.exposeString('testTypeName', {
      description: 'Its type: which variables it has, that of its home unless a suite that includes it says otherwise.',
    }),
    name: t.string({ description: 'Its name, unique in the suite.', resolve: ({ definition }) => definition.name }),
    kind: t.string({
      description: 'How it is asked: single or simulated.',
      resolve: ({ definition }) => definition.kind,
    }),
    status: t.field({
      type: CaseStatusType,
      description: 'Only active cases run.',
      resolve: ({ definition }) => definition.status,
    }),
    isEnabled: t.boolean({
      description: 'false keeps it from running.',
      resolve: ({ definition }) => definition.is_enabled,
    }),
    tags: t.stringList({ description: 'For selecting and grouping.', resolve: ({ definition }) => definition.tags }),
    difficulty: t.field({
      type: DifficultyType,
      description: 'How hard it is.',
      resolve: ({ definition }) => definition.difficulty,
    }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Its place in the suite that lists it.' }),
    line: t.exposeInt('line', { nullable: true, description: 'Where its name stands in its file; null: it has none.' }),
    flakiness: t.exposeFloat('flakiness', {
      nullable: true,
      description: '0 to 1, how often it changes its mind on the base branch; null: too little is known.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    description: t.string({
      nullable: true,
      description: 'What it is for, in the words of its author.',
      resolve: ({ definition }) => definition.description,
    }),
    input: t.string({
      nullable: true,
      description: 'What the user says in a single-turn case.',
      resolve: ({ definition }) => definition.input,
    }),
    groundTruth: t.string({
      nullable: true,
      description: 'The right answer, for metrics that compare.',
      resolve: ({ definition }) => definition.ground_truth,
    }),
    initialMessage: t.string({
      nullable: true,
      description: 'The first message of the simulated user.',
      resolve: ({ definition }) => definition.initial_message,
    }),
    evaluationCriteriaOverride: t.string({
      nullable: true,
      description: 'Replaces the rubric of the judge.',
      resolve: ({ definition }) => definition.evaluation_criteria_override,
    }),
    maxTurns: t.int({
      nullable: true,
      description: 'Agent turns of a conversation; null: no cap of its own.',
      resolve: ({ definition }) => definition.max_turns,
    }),
    persona: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Who the simulated user is: type, description, instructions.',
      resolve: ({ definition }) => definition.persona,
    }),
    userContext: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the simulated user knows.',
      resolve: ({ definition }) => definition.user_context,
    }),
    expectedBehavior: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Checks of the response, and how they are combined.',
      resolve: ({ definition }) => definition.expected_behavior,
    }),
    expectedOutcomes: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What must be true at the end.',
      resolve: ({ definition }) => definition.expected_outcomes,
    }),
    expectedToolCalls: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Tools that must or must not be called; null: nothing is expected.',
      resolve: ({ definition }) => definition.expected_tool_calls,
    }),
    variables: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it makes of the variables of its type; null: nothing.',
      resolve: ({ definition }) => definition.variables,
    }),
    definition: t.field({
      type: 'JSON',
      description: 'Everything, as in a case file.',
      resolve: ({ definition }) => definition,
    }),
  }),
});

export const TestCaseConnectionType = builder.connectionObject(
  { type: TestCaseType, name: 'TestCaseConnection', description: 'A page of test cases.' },
  { name: 'TestCaseEdge', description: 'A row of a page of test cases.' },
);

builder.queryField('testCase', (t) =>
  t.field({
    type: TestCaseType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the case.' }) },
    description: 'One case; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await readTestCase(context.ports.database, callerOf(context), id),
  }),
);

const Filter = builder.inputType('TestCaseFilter', {
  description: 'Which cases; what is absent allows all.',
  fields: (t) => ({
    name: t.string({ description: 'Those of this name.' }),
    suiteId: t.field({ type: 'UUID', description: 'Those whose home is this suite.' }),
    tag: t.string({ description: 'Those with this tag.' }),
    status: t.field({ type: CaseStatusType, description: 'Those of this status.' }),
    difficulty: t.field({ type: DifficultyType, description: 'Those of this difficulty.' }),
  }),
});

builder.queryField('testCases', (t) =>
  t.field({
    type: TestCaseConnectionType,
    authScopes: { readAll: true },
    args: { ...pageArguments(), filter: t.arg({ type: Filter, description: 'Which cases to list.' }) },
    complexity: costOfPage,
    description: 'The cases of all suites of the tenant, each once, newest first.',
    resolve: (_root, { filter, ...page }, context) =>
      readPage(context, 'test-cases', page, async (request) => {
        const caller = callerOf(context);
        const { from, rest, position } = pageOf({ key: sql`c.created_at`, id: sql`c.id`, isDescending: true }, request);
        const { name, suiteId, ...others } = filter ?? {};
        const where = allOf([
          visible(caller),
          name && sql`c.name = ${name}`,
          suiteId && sql`c.suite_id = ${suiteId}`,
          matching(others),
          from,
        ]);
        const rows = select(sql`test_cases`, sql`${where} ${rest}`, position);
        return toPage(request, await readInTenant(context.ports.database, caller.tenantId, rows));
      }),
  }),
);

const optional = (t: InputFields) => ({
  description: t.string({ description: 'What it is for, in the words of its author.' }),
  input: t.string({ description: 'What the user says in a single-turn case.' }),
  messages: t.field({ type: 'JSON', description: 'What was said before the first message: role and content of each.' }),
  turns: t.field({ type: 'JSON', description: 'A fixed conversation: user and expected_behavior of each message.' }),
  groundTruth: t.string({ description: 'The right answer, for metrics that compare.' }),
  files: t.field({ type: 'JSON', description: 'Files that go with the input.' }),
  expectedTools: t.stringList({ description: 'Names of tools that must be called. Give this or expectedToolCalls.' }),
  expectedToolCalls: t.field({ type: 'JSON', description: 'Tools that must or must not be called, with parameters.' }),
  evaluations: t.stringList({ description: 'Names of the metrics that count for it; absent: all of the suite.' }),
  expectedBehavior: t.field({ type: 'JSON', description: 'Checks of the response, and how they are combined.' }),
  persona: t.field({ type: 'JSON', description: 'Who the simulated user is: type, description, instructions.' }),
  initialMessage: t.string({ description: 'The first message of the simulated user.' }),
  userContext: t.field({ type: 'JSON', description: 'What the simulated user knows.' }),
  maxTurns: t.int({ description: 'Agent turns of a conversation; absent: no cap of its own.' }),
  expectedOutcomes: t.field({ type: 'JSON', description: 'What must be true at the end.' }),
  evaluationCriteriaOverride: t.string({ description: 'Replaces the rubric of the judge.' }),
  metadata: t.field({
    type: 'JSON',
    description: 'What is noted about the question, shown beside it by proofmark ab.',
  }),
  tags: t.stringList({ description: 'For selecting and grouping.' }),
  difficulty: t.field({ type: DifficultyType, description: 'How hard it is; absent: NORMAL.' }),
  status: t.field({ type: CaseStatusType, description: 'Where it is in its life; absent: ACTIVE.' }),
  isEnabled: t.boolean({ description: 'false keeps it from running.' }),
  sortOrder: t.int({ description: 'Its place in the suite; absent: the last.' }),
  literal: t.boolean({ description: 'true keeps {{…}} as text.' }),
  variables: t.field({ type: 'JSON', description: 'What it makes of the variables of its type.' }),
});

const CreateTestCaseInputType = builder.inputType('CreateTestCaseInput', {
  description: "A case. Id and times are the server's to set.",
  fields: (t) => ({
    suiteId: t.field({ type: 'UUID', required: true, description: 'The suite that it belongs to.' }),
    name: t.string({ required: true, description: 'Its name, unique in the suite.' }),
    ...optional(t),
  }),
});

const UpdateTestCaseInputType = builder.inputType('UpdateTestCaseInput', {
  description: 'What changes of a case.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the case.' }),
    name: t.string({ description: 'Its name, unique in the suite.' }),
    ...optional(t),
  }),
});

defineMutations<TestCaseView>(
  {
    name: 'TestCase',
    noun: 'a case',
    scope: 'write',
    deleted: 'It runs no more; its results stay readable.',
    shows: (t) => ({
      testCase: t.field({ type: TestCaseType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => readTestCase(context.ports.database, callerOf(context), id),
    remove: deleteTestCase,
    table: 'test_cases',
  },
  { input: CreateTestCaseInputType, change: createTestCase },
  { input: UpdateTestCaseInputType, change: updateTestCase },
);
