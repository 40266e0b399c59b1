import { poolsWithoutRunners } from '../access/runners.ts';
import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { type Counters, openCases, passRateOf, type SuiteRunView, suiteRunsOf } from '../suite-runs/read-suite-runs.ts';
import { SuiteRunType } from '../suite-runs/suite-runs.ts';
import { ConclusionType, RunStatusType, RunTriggerType, TimeOrderType, VerdictWordType } from '../words.ts';
import { detailsOfRun, listRuns, type RunView, spentOfRun, visibleRun } from './read-runs.ts';
import { FeedbackType, ReportingType, reportingOf, runFeedback } from './run-feedback.ts';
import { boundsOf, sharedFilterFields } from './run-filter.ts';

interface RunHead extends Counters {
  erroredCases: number;
}

/** The sums over the side that a run is about. */
function headOf(all: readonly SuiteRunView[]): RunHead {
  const own = all.filter(({ variant, purpose }) => variant !== 'baseline' && purpose === 'first');
  const sum = (count: keyof RunHead) => own.reduce((total, suiteRun) => total + suiteRun[count], 0);
  return {
    totalCases: sum('totalCases'),
    passedCases: sum('passedCases'),
    failedCases: sum('failedCases'),
    erroredCases: sum('erroredCases'),
    skippedCases: sum('skippedCases'),
  };
}

const RunHeadType = builder.objectRef<RunHead>('RunHead').implement({
  description: 'The test runs of the side that a run is about.',
  fields: (t) => ({
    totalCases: t.exposeInt('totalCases', { description: 'How many test runs were planned for it.' }),
    passedCases: t.exposeInt('passedCases', { description: 'How many of them passed.' }),
    failedCases: t.exposeInt('failedCases', { description: 'How many of them failed, errors included.' }),
    erroredCases: t.exposeInt('erroredCases', { description: 'How many of the failed ones are errors.' }),
    skippedCases: t.exposeInt('skippedCases', { description: 'How many of them were not executed.' }),
    openCases: t.int({ description: 'How many of them have no result yet.', resolve: openCases }),
    passRate: t.float({
      nullable: true,
      description: 'Passed among passed and failed, 0 to 100; null when nothing was executed.',
      resolve: passRateOf,
    }),
  }),
});

export const RunType = builder.objectRef<RunView>('Run').implement({
  description: 'One invocation: a CI event, a call of this API, a schedule.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the run.' }),
    status: t.expose('status', { type: RunStatusType, description: 'Where the run stands.' }),
    triggeredBy: t.expose('triggeredBy', { type: RunTriggerType, description: 'What kind of caller started it.' }),
    event: t.exposeString('event', { nullable: true, description: 'The event of the forge, such as pull_request.' }),
    repository: t.exposeString('repository', {
      nullable: true,
      description: 'Owner and name, as they were last seen.',
    }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The enrolled repository that it is about; null: none.',
    }),
    host: t.exposeString('host', { nullable: true, description: 'The forge, such as github.com.' }),
    headSha: t.exposeString('headSha', { nullable: true, description: 'The commit that was run.' }),
    baseSha: t.exposeString('baseSha', { nullable: true, description: 'The commit that the event compares it with.' }),
    mergeBaseSha: t.exposeString('mergeBaseSha', {
      nullable: true,
      description: 'The commit where the branch left its base.',
    }),
    pullRequest: t.exposeInt('pullRequest', { nullable: true, description: 'Number of the pull request.' }),
    ref: t.exposeString('ref', { nullable: true, description: 'The ref of the event.' }),
    isBase: t.exposeBoolean('isBase', { description: 'Whether later runs are compared with it.' }),
    verdictWord: t.field({
      type: VerdictWordType,
      nullable: true,
      description: 'The worst verdict of its suite runs; null while it is open.',
      resolve: ({ verdict }) => verdict,
    }),
    conclusion: t.field({
      type: ConclusionType,
      nullable: true,
      description: 'How its aggregate check ends; null while it is open.',
      resolve: ({ conclusion }) => conclusion,
    }),
    totalCases: t.exposeInt('totalCases', { description: 'How many test runs were planned.' }),
    passedCases: t.exposeInt('passedCases', { description: 'How many of them passed.' }),
    failedCases: t.exposeInt('failedCases', { description: 'How many failed, errors included.' }),
    erroredCases: t.exposeInt('erroredCases', { description: 'How many of the failed ones are errors.' }),
    skippedCases: t.exposeInt('skippedCases', { description: 'How many were not executed.' }),
    openCases: t.int({ description: 'How many have no result yet.', resolve: openCases }),
    head: t.field({
      type: RunHeadType,
      complexity: 1,
      description: 'What it came to itself, without the base that ran beside it and without what was asked again.',
      resolve: async ({ id }, _args, context) => headOf(await suiteRunsOf(context, id)),
    }),
    durationMs: t.float({
      nullable: true,
      description: 'From its acceptance to its end, in milliseconds; null while it is open.',
      resolve: ({ createdAt, completedAt }) =>
        completedAt === null ? null : Date.parse(completedAt) - Date.parse(createdAt),
    }),
    author: t.exposeString('author', {
      nullable: true,
      description: 'Login of who wrote the change, as the caller told it; display text only.',
    }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Title of the pull request when it was started, as the caller told it; display text only.',
    }),
    poolsWithoutRunners: t.stringList({
      complexity: 5,
      description: 'The pools that its test runs wait for, because no runner of them is connected.',
      resolve: async ({ id, status }, _args, context) => {
        if (status !== 'pending' && status !== 'running') return [];
        return (await poolsWithoutRunners(context, id)).map(({ pool }) => pool);
      },
    }),
    passRate: t.float({
      nullable: true,
      description: 'Passed among passed and failed, 0 to 100; null when nothing was executed.',
      resolve: passRateOf,
    }),
    totalSuiteRuns: t.exposeInt('totalSuiteRuns', { description: 'How many suite runs it has.' }),
    finishedSuiteRuns: t.exposeInt('finishedSuiteRuns', { description: 'How many of them have ended.' }),
    suiteRuns: t.field({
      type: [SuiteRunType],
      description: 'Its suite runs, in the order in which they were planned.',
      resolve: async ({ id }, _args, context) => await suiteRunsOf(context, id),
    }),
    feedback: t.field({
      type: FeedbackType,
      complexity: { field: 50, multiplier: 1 },
      description: 'The run in the words of checks and comments.',
      resolve: (run, _args, context) =>
        runFeedback(context, run, async () => (await detailsOfRun(context, run.id))?.settings),
    }),
    reporting: t.field({
      type: [ReportingType],
      complexity: { field: 5, multiplier: 2 },
      description: 'What the coordinator writes to the forge for it, and how far that is.',
      resolve: async ({ id }, _args, context) => await reportingOf(context, id),
    }),
    requested: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the caller asked for: variables, preset, matrix, selection.',
      resolve: async ({ id }, _args, context) => (await detailsOfRun(context, id))?.requested ?? null,
    }),
    settings: t.field({
      type: 'JSON',
      nullable: true,
      description: 'How the gate and the feedback were set.',
      resolve: async ({ id }, _args, context) => (await detailsOfRun(context, id))?.settings ?? null,
    }),
    environment: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Versions and machine that it was made with.',
      resolve: async ({ id }, _args, context) => (await detailsOfRun(context, id))?.environment ?? null,
    }),
    rerunOf: t.expose('rerunOf', {
      type: 'UUID',
      nullable: true,
      description: 'The run that it repeats, or whose answers it judges.',
    }),
    rescores: t.expose('rescores', {
      type: 'UUID',
      nullable: true,
      description: 'The run whose stored answers it judges: no agent was asked. Null: agents were.',
    }),
    runSeed: t.exposeString('runSeed', { description: 'What every seed of its trials is derived from.' }),
    notes: t.exposeString('notes', { nullable: true, description: 'What the caller wrote about it.' }),
    createdBy: t.exposeString('createdBy', { description: 'Login of who started it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first test run was taken.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last suite run ended.',
    }),
    deadlineAt: t.expose('deadlineAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is ended at the latest.',
    }),
    costUsd: t.float({
      nullable: true,
      complexity: 1,
      description:
        'What it has cost in US dollars: all suites, cells and sides, judges, simulated users and confirmations. Null when no price is known.',
      resolve: async ({ id }, _args, context) => (await spentOfRun(context, id))?.usd ?? null,
    }),
  }),
});

const RunConnectionType = builder.connectionObject(
  { type: RunType, name: 'RunConnection', description: 'A page of runs.' },
  { name: 'RunEdge', description: 'A row of a page of runs.' },
);

builder.queryField('run', (t) =>
  t.field({
    type: RunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description: 'One run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await visibleRun(context, id),
  }),
);

const Filter = builder.inputType('RunFilter', {
  description: 'Which runs; what is absent allows all.',
  fields: sharedFilterFields,
});

builder.queryField('runs', (t) =>
  t.field({
    type: RunConnectionType,
    authScopes: { read: true },
    args: {
      ...pageArguments(),
      filter: t.arg({ type: Filter, description: 'Which runs to list.' }),
      orderBy: t.arg({ type: TimeOrderType, description: 'In which order; absent: NEWEST.' }),
    },
    complexity: costOfPage,
    description: 'The runs of the tenant, newest first unless another order is asked for.',
    resolve: async (_root, { filter, orderBy, ...page }, context) => {
      const caller = callerOf(context);
      const question = { tenantId: caller.tenantId, bounds: boundsOf(caller), filter: filter ?? {}, order: orderBy };
      return await readPage(context, `runs ${orderBy ?? ''}`, page, (request) =>
        listRuns(context.ports.database, question, request),
      );
    },
  }),
);
