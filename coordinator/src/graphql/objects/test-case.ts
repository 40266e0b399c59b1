import { builder } from '../builder.ts';
import type { TestCaseView } from '../read/test-case-view.ts';
import { CaseStatusType, DifficultyType } from './case-words.ts';

const InclusionType = builder.objectRef<TestCaseView['includedIn'][number]>('TestCaseInclusion').implement({
  description: 'A suite that includes a case whose home is another suite.',
  fields: (t) => ({
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'The suite.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    sortOrder: t.exposeInt('sortOrder', { description: 'The place of the case in that suite.' }),
  }),
});

export const TestCaseType = builder.objectRef<TestCaseView>('TestCase').implement({
  description: 'One test of a suite, single-turn or simulated, with what is expected.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
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
    kind: t.string({ description: 'single or simulated.', resolve: ({ definition }) => definition.kind }),
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
  }),
});

builder.objectFields(TestCaseType, (t) => ({
  description: t.string({
    nullable: true,
    description: 'For people.',
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
}));

export const TestCaseConnectionType = builder.connectionObject(
  { type: TestCaseType, name: 'TestCaseConnection', description: 'A page of test cases.' },
  { name: 'TestCaseEdge', description: 'A row of a page of test cases.' },
);
