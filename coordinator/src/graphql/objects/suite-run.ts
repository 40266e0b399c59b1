import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { openCases, passRateOf } from '../counters.ts';
import { readSuiteRunReport } from '../read/suite-run-report.ts';
import type { SuiteRunView } from '../read/suite-run-view.ts';
import { listTestRuns } from '../read/test-run-view.ts';
import { AgentSnapshotType } from './agent-snapshot.ts';
import { PurposeType } from './purpose.ts';
import { ResolvedVariablesType } from './resolved-variables.ts';
import { RunStatusType } from './run-status.ts';
import { TakenFromType } from './taken-from.ts';
import { TestFailureType } from './test-failure.ts';
import { TestRunConnectionType } from './test-run.ts';
import { TestRunStatusType } from './test-run-status.ts';
import { VariantType } from './variant.ts';
import { VerdictType } from './verdict.ts';
import { VerdictWordType } from './verdict-word.ts';

export const SuiteRunType = builder.objectRef<SuiteRunView>('SuiteRun').implement({
  description: 'One suite with one combination of matrix values and one variant, inside a run.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'The run that it belongs to.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    suitePath: t.exposeString('suitePath', {
      nullable: true,
      description: 'Its file, from the root of the repository.',
    }),
    agentName: t.exposeString('agentName', { description: 'Name of the agent.' }),
    agentHash: t.exposeString('agentHash', { description: 'SHA-256 of the agent: its version.' }),
    agentSnapshot: t.field({
      type: AgentSnapshotType,
      nullable: true,
      description: 'The agent as it was executed.',
      resolve: async ({ agentSnapshotId }, _args, { loaders }) =>
        agentSnapshotId === null ? null : await loaders.agentSnapshot.load(agentSnapshotId),
    }),
    variant: t.expose('variant', { type: VariantType, description: 'Which side of a comparison.' }),
    purpose: t.expose('purpose', { type: PurposeType, description: 'What it is for.' }),
    takenFrom: t.field({
      type: TakenFromType,
      nullable: true,
      description: 'Whose results it took over, or whose answers it judges again; null: its agent was asked.',
      resolve: ({ takenFrom }) => takenFrom,
    }),
    cellKey: t.exposeString('cellKey', { description: 'The matrix values as one text; empty without a matrix.' }),
    cell: t.field({ type: 'JSON', description: 'The matrix values, name to value.', resolve: ({ cell }) => cell }),
    settingKey: t.exposeString('settingKey', {
      description: 'The values of its run and its cell as JSON: only results with equal ones may be compared.',
    }),
    status: t.expose('status', { type: RunStatusType, description: 'Where it stands.' }),
    failureReason: t.exposeString('failureReason', { nullable: true, description: 'Why it ended early.' }),
    totalCases: t.exposeInt('totalCases', { description: 'How many test runs were planned.' }),
    passedCases: t.exposeInt('passedCases', { description: 'How many passed.' }),
    failedCases: t.exposeInt('failedCases', { description: 'How many failed, errors included.' }),
    erroredCases: t.exposeInt('erroredCases', { description: 'How many of the failed ones are errors.' }),
    skippedCases: t.exposeInt('skippedCases', { description: 'How many were not executed.' }),
    openCases: t.int({ description: 'How many have no result yet.', resolve: openCases }),
  }),
});

builder.objectFields(SuiteRunType, (t) => ({
  passRate: t.float({
    nullable: true,
    description: 'Passed among passed and failed, 0 to 100; null when nothing was executed.',
    resolve: passRateOf,
  }),
  resolvedVariables: t.field({
    type: ResolvedVariablesType,
    nullable: true,
    description: 'The variables of the run and the suite, before any case.',
    resolve: ({ resolvedVariables }) => resolvedVariables,
  }),
  verdictWord: t.field({
    type: VerdictWordType,
    nullable: true,
    description: 'The verdict in one word; null while it is open.',
    resolve: ({ verdict }) => verdict,
  }),
  verdict: t.field({
    type: VerdictType,
    nullable: true,
    description: 'The comparison with the baseline.',
    resolve: ({ verdictDetail }) => verdictDetail,
  }),
  baselineSuiteRunId: t.expose('baselineSuiteRunId', {
    type: 'UUID',
    nullable: true,
    description: 'The suite run that it was compared with.',
  }),
  testRuns: t.field({
    type: TestRunConnectionType,
    args: {
      ...pageArguments(),
      status: t.arg({ type: TestRunStatusType, description: 'Only those that stand there.' }),
    },
    complexity: costOfPage,
    description: 'Its test runs in the order of the file.',
    resolve: async ({ id }, { status, ...page }, context) =>
      await readPage(context, `test-runs ${id} ${status ?? ''}`, page, async (request) => {
        const of = { tenantId: callerOf(context).tenantId, suiteRunId: id, status: status ?? null };
        return await listTestRuns(context.ports.database, of, request);
      }),
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the first test run was taken.',
  }),
  completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
  deadlineAt: t.expose('deadlineAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it is ended at the latest.',
  }),
}));

const reportOf = (suiteRun: SuiteRunView, context: GraphqlContext) =>
  readSuiteRunReport(context.ports.database, callerOf(context).tenantId, suiteRun);

builder.objectFields(SuiteRunType, (t) => ({
  report: t.field({
    type: 'JSON',
    nullable: true,
    complexity: 100,
    description: 'The whole report as JSON; null while it is open.',
    resolve: async (suiteRun, _args, context) => (await reportOf(suiteRun, context))?.json ?? null,
  }),
  reportMarkdown: t.string({
    nullable: true,
    complexity: 100,
    description: 'The report for people, as GitHub Markdown; null while it is open.',
    resolve: async (suiteRun, _args, context) => (await reportOf(suiteRun, context))?.markdown ?? null,
  }),
  failures: t.field({
    type: [TestFailureType],
    nullable: true,
    complexity: 100,
    description: 'Why test runs of the report did not pass; null without a report.',
    resolve: async (suiteRun, _args, context) => (await reportOf(suiteRun, context))?.failures ?? null,
  }),
  costUsd: t.float({
    nullable: true,
    complexity: 10,
    description:
      'What it has cost in US dollars, judges and simulated users included; that of a first look has what settled its suspicion too. Null when no price is known.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.spentOfSuiteRun.load(id))?.usd ?? null,
  }),
}));

export const SuiteRunConnectionType = builder.connectionObject(
  { type: SuiteRunType, name: 'SuiteRunConnection', description: 'A page of suite runs.' },
  { name: 'SuiteRunEdge', description: 'A row of a page of suite runs.' },
);
