import { builder } from '../builder.ts';
import { CaseStatusType, DifficultyType } from '../objects/case-words.ts';

type Fields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const optional = (t: Fields) => ({
  description: t.string({ description: 'For people.' }),
  input: t.string({ description: 'What the user says in a single-turn case.' }),
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
  tags: t.stringList({ description: 'For selecting and grouping.' }),
  difficulty: t.field({ type: DifficultyType, description: 'Default NORMAL.' }),
  status: t.field({ type: CaseStatusType, description: 'Default ACTIVE.' }),
  isEnabled: t.boolean({ description: 'false keeps it from running.' }),
  sortOrder: t.int({ description: 'Its place in the suite; absent: the last.' }),
  literal: t.boolean({ description: 'true keeps {{…}} as text.' }),
  variables: t.field({ type: 'JSON', description: 'What it makes of the variables of its type.' }),
});

export const CreateTestCaseInputType = builder.inputType('CreateTestCaseInput', {
  description: "A case. Id and times are the server's to set.",
  fields: (t) => ({
    suiteId: t.field({ type: 'UUID', required: true, description: 'The suite that it belongs to.' }),
    name: t.string({ required: true, description: 'Its name, unique in the suite.' }),
    ...optional(t),
  }),
});

export const UpdateTestCaseInputType = builder.inputType('UpdateTestCaseInput', {
  description: 'What changes of a case.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    name: t.string({ description: 'Its name, unique in the suite.' }),
    ...optional(t),
  }),
});
