import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { flakyCasesOf } from '../suite-runs/case-history.ts';
import { type CellCurve, cellCurves, listHistory, newestSuiteRuns } from '../suite-runs/read-suite-runs.ts';
import { SuiteRunConnectionType, SuiteRunType } from '../suite-runs/suite-runs.ts';
import { CaseStatusType, DifficultyType } from '../words.ts';
import { AgentType, agentById } from './agents.ts';
import { AiConfigurationType, aiConfigurationById } from './ai-configurations.ts';
import { listSuites, readVisibleSuite, type SuiteView } from './read-suites.ts';
import { listTestCases, TestCaseConnectionType } from './test-cases.ts';
import { TestTypeType, testTypeById } from './test-types.ts';

const CellCurveType = builder.objectRef<CellCurve>('CellCurve').implement({
  description: 'How one combination of matrix values developed.',
  fields: (t) => ({
    cellKey: t.exposeString('cellKey', {
      description: 'The matrix values of the curve as one text; empty without a matrix.',
    }),
    suiteRuns: t.field({
      type: [SuiteRunType],
      complexity: { field: 0, multiplier: 1 },
      description: 'Its newest ended suite runs, newest first.',
      resolve: ({ points }) => points,
    }),
  }),
});

const mostOfCurves = 100;
const curveSize = (wanted: number | null | undefined, usual: number): number =>
  Math.max(1, Math.min(wanted ?? usual, mostOfCurves));

export const SuiteType = builder.objectRef<SuiteView>('Suite').implement({
  description: 'A suite as the base branch defines it; each run keeps what it was then.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the suite.' }),
    name: t.exposeString('name', { description: 'Name of the suite.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is for, in the words of its author.',
    }),
    path: t.exposeString('path', { nullable: true, description: 'Its file, from the root of the repository.' }),
    agentName: t.exposeString('agentName', { description: 'Name of the agent.' }),
    pool: t.string({
      nullable: true,
      description: 'The pool of runners that executes it; null: that of its AI configurations.',
      resolve: ({ definition }) => definition.pool,
    }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether it runs at all.' }),
    scheduleType: t.exposeString('scheduleType', { description: 'manual, hourly, daily or weekly.' }),
    alertThresholdPercent: t.exposeInt('alertThresholdPercent', {
      description: 'By how many percentage points the pass rate must drop for the alert.',
    }),
    caseCount: t.exposeInt('cases', { description: 'How many cases it has.' }),
    history: t.field({
      type: SuiteRunConnectionType,
      args: {
        ...pageArguments(),
        cellKey: t.arg.string({ description: 'Only this combination of matrix values.' }),
        onlyBase: t.arg.boolean({ defaultValue: false, description: 'Only those that others are compared with.' }),
      },
      complexity: costOfPage,
      description: 'Its ended suite runs, newest first: how pass rate, cost and verdict developed.',
      resolve: async ({ id }, { cellKey, onlyBase, ...page }, context) => {
        const question = { cellKey: cellKey ?? null, onlyBase: onlyBase ?? false };
        return await readPage(context, `history ${id} ${cellKey ?? ''} ${onlyBase}`, page, (request) =>
          listHistory(context, id, { ...question, page: request }),
        );
      },
    }),
    latest: t.field({
      type: [SuiteRunType],
      args: {
        onlyBase: t.arg.boolean({ defaultValue: false, description: 'Only of a run that others are compared with.' }),
      },
      description: 'What its newest ended run came to: a suite run for each cell of its matrix; empty: it never ran.',
      resolve: ({ id }, { onlyBase }, context) => newestSuiteRuns(context, id, onlyBase ?? false),
    }),
    curves: t.field({
      type: [CellCurveType],
      args: {
        onlyBase: t.arg.boolean({ defaultValue: false, description: 'Only of runs that others are compared with.' }),
        cells: t.arg.int({ defaultValue: 10, description: 'How many cells at most, up to 100.' }),
        points: t.arg.int({ defaultValue: 20, description: 'How many suite runs of each cell, up to 100.' }),
      },
      complexity: ({ cells, points }) => {
        const rows = curveSize(cells, 10) * curveSize(points, 20);
        return { field: rows, multiplier: rows };
      },
      description:
        'How each cell of its newest ended run developed, in the order of the matrix: every cell has points of its own.',
      resolve: ({ id }, { onlyBase, cells, points }, context) =>
        cellCurves(context, id, {
          ...{ onlyBase: onlyBase ?? false, cells: curveSize(cells, 10), points: curveSize(points, 20) },
        }),
    }),
    flakyCases: t.int({
      complexity: 5,
      description: 'How many of its cases are in quarantine because they pass and fail by themselves.',
      resolve: ({ id }, _args, context) => flakyCasesOf(context, id),
    }),
    agent: t.field({
      type: AgentType,
      nullable: true,
      description: 'What is tested, as it is now.',
      resolve: async ({ agentId }, _args, context) => await agentById(context, agentId),
    }),
    judge: t.field({
      type: AiConfigurationType,
      nullable: true,
      description: 'The AI configuration of the judge; null: none, or the one that is named is gone.',
      resolve: async ({ judgeId }, _args, context) =>
        judgeId === null ? null : await aiConfigurationById(context, judgeId),
    }),
    testTypeName: t.string({
      description: 'Which variables its cases have, such as agent-eval.',
      resolve: ({ definition }) => definition.test_type,
    }),
    testType: t.field({
      type: TestTypeType,
      nullable: true,
      description: 'The stored test type; null for the built-in one.',
      resolve: async ({ testTypeId }, _args, context) =>
        testTypeId === null ? null : await testTypeById(context, testTypeId),
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
      description: 'Time of day of a daily or weekly suite, in its time zone.',
      resolve: ({ definition }) => definition.schedule_time,
    }),
    scheduleCron: t.string({
      nullable: true,
      description: 'When it runs by itself, as a cron expression; null: scheduleType says it.',
      resolve: ({ definition }) => definition.schedule_cron ?? null,
    }),
    scheduleTimeZone: t.string({
      nullable: true,
      description: 'Time zone of the schedule; null: UTC.',
      resolve: ({ definition }) => definition.schedule_time_zone ?? null,
    }),
    scheduleJitterMinutes: t.int({
      description: 'Up to how many minutes later than its time it may begin.',
      resolve: ({ definition }) => definition.schedule_jitter_minutes ?? 0,
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
    testCases: t.field({
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
        const list = `cases ${id} ${tag ?? ''} ${status ?? ''} ${difficulty ?? ''}`;
        return await readPage(context, list, page, (request) =>
          listTestCases(context, id, { tag, status, difficulty, page: request }),
        );
      },
    }),
  }),
});

const SuiteConnectionType = builder.connectionObject(
  { type: SuiteType, name: 'SuiteConnection', description: 'A page of suites.' },
  { name: 'SuiteEdge', description: 'A row of a page of suites.' },
);

builder.queryField('suite', (t) =>
  t.field({
    type: SuiteType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite.' }) },
    description: 'One suite; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await readVisibleSuite(context.ports.database, callerOf(context), id),
  }),
);

const Filter = builder.inputType('SuiteFilter', {
  description: 'Which suites; what is absent allows all.',
  fields: (t) => ({
    agentId: t.field({ type: 'UUID', description: 'Those of this agent.' }),
    repositoryId: t.field({ type: 'UUID', description: 'Those of this repository.' }),
    name: t.string({ description: 'Those of this name.' }),
    isEnabled: t.boolean({ description: 'Whether they run at all.' }),
  }),
});

builder.queryField('suites', (t) =>
  t.field({
    type: SuiteConnectionType,
    authScopes: { readAll: true },
    args: { ...pageArguments(), filter: t.arg({ type: Filter, description: 'Which suites to list.' }) },
    complexity: costOfPage,
    description: 'The suites of the tenant by name.',
    resolve: async (_root, { filter, ...page }, context) => {
      const { tenantId, repositoryId } = callerOf(context);
      const scope = { tenantId, repositoryId, filter: filter ?? {} };
      return await readPage(
        context,
        'suites',
        page,
        async (request) => await listSuites(context.ports.database, scope, request),
      );
    },
  }),
);
