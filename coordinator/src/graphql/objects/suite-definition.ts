import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { listTestCases } from '../read/test-case-view.ts';
import { AgentType } from './agent.ts';
import { AiConfigurationType } from './ai-configuration.ts';
import { CaseStatusType, DifficultyType } from './case-words.ts';
import { SuiteType } from './suite.ts';
import { TestCaseConnectionType } from './test-case.ts';
import { TestTypeType } from './test-type.ts';

builder.objectFields(SuiteType, (t) => ({
  agent: t.field({
    type: AgentType,
    nullable: true,
    description: 'What is tested, as it is now.',
    resolve: async ({ agentId }, _args, { loaders }) => await loaders.agent.load(agentId),
  }),
  judge: t.field({
    type: AiConfigurationType,
    nullable: true,
    description: 'The AI configuration of the judge; null: none, or the one that is named is gone.',
    resolve: async ({ judgeId }, _args, { loaders }) =>
      judgeId === null ? null : await loaders.aiConfiguration.load(judgeId),
  }),
  testTypeName: t.string({
    description: 'Which variables its cases have, such as agent-eval.',
    resolve: ({ definition }) => definition.test_type,
  }),
  testType: t.field({
    type: TestTypeType,
    nullable: true,
    description: 'The stored test type; null for the built-in one.',
    resolve: async ({ testTypeId }, _args, { loaders }) =>
      testTypeId === null ? null : await loaders.testType.load(testTypeId),
  }),
  repositoryId: t.expose('repositoryId', {
    type: 'UUID',
    nullable: true,
    description: 'The repository that it belongs to; null: none.',
  }),
  variables: t.field({
    type: 'JSON',
    description: 'Values for all its cases, variable to value.',
    resolve: ({ definition }) => definition.variables,
  }),
  scheduleTime: t.string({
    nullable: true,
    description: 'Time of day of a daily or weekly suite, UTC.',
    resolve: ({ definition }) => definition.schedule_time,
  }),
  scheduleDayOfWeek: t.int({
    nullable: true,
    description: 'Day of a weekly suite, 0 is Sunday.',
    resolve: ({ definition }) => definition.schedule_day_of_week,
  }),
  alertOnRegression: t.boolean({
    description: 'Whether a drop of the pass rate alerts.',
    resolve: ({ definition }) => definition.alert_on_regression,
  }),
  definition: t.field({
    type: 'JSON',
    description: 'All settings, as in a suite file.',
    resolve: ({ definition }) => definition,
  }),
  createdBy: t.exposeString('createdBy', { description: 'Login of who stored it first.' }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
  updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its settings were changed last.' }),
}));

builder.objectField(SuiteType, 'testCases', (t) =>
  t.field({
    type: TestCaseConnectionType,
    args: {
      ...pageArguments(),
      tag: t.arg.string({ description: 'Only those with this tag.' }),
      status: t.arg({ type: CaseStatusType, description: 'Only those of this status.' }),
      difficulty: t.arg({ type: DifficultyType, description: 'Only those of this difficulty.' }),
    },
    complexity: costOfPage,
    description: 'Its cases in the order in which they run, those that it includes among them.',
    resolve: async ({ id }, { tag, status, difficulty, ...page }, context) => {
      const filter = { suiteId: id, tag, status, difficulty };
      const list = `cases ${id} ${tag ?? ''} ${status ?? ''} ${difficulty ?? ''}`;
      return await readPage(
        context,
        list,
        page,
        async (request) => await listTestCases(context.ports.database, callerOf(context), filter, request),
      );
    },
  }),
);
