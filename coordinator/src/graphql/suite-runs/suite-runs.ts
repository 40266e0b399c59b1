import { wilson } from '@proofmark/domain/statistics/intervals';
import type { TakenFrom } from '../../database/json-columns.ts';
import { builder } from '../builder.ts';
import { costOfPage, pageArguments, pageOfArray, readPage } from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { AgentSnapshotType, agentSnapshotById } from '../definitions/agents.ts';
import { maySeeRun } from '../runs/read-runs.ts';
import { boundsOf, sharedFilterFields } from '../runs/run-filter.ts';
import { ResolvedVariablesType } from '../test-runs/test-run-details.ts';
import { listTestRuns } from '../test-runs/test-run-view.ts';
import { TestRunConnectionType } from '../test-runs/test-runs.ts';
import {
  CaseResultType,
  DifficultyType,
  enumOf,
  PurposeType,
  RunStatusType,
  TestRunStatusType,
  TimeOrderType,
  VariantType,
  VerdictWordType,
} from '../words.ts';
import { CaseChangeType, CaseDifferenceConnectionType, differencesOf } from './case-differences.ts';
import { caseFilter } from './case-filter.ts';
import { judgedCases } from './judged-cases.ts';
import {
  detailsOfSuiteRun,
  type FailingCase,
  failingCasesOf,
  latencyOfSuiteRun,
  listSuiteRuns,
  openCases,
  passRateOf,
  type SuiteRunView,
  spentOfSuiteRun,
  suiteRunById,
} from './read-suite-runs.ts';
import { suiteRunReport, type TestFailure } from './suite-run-report.ts';
import { briefVerdict, VerdictType } from './verdicts.ts';

const HowTakenType = enumOf('HowTaken', 'Why results were taken over.', {
  reused: 'The same content was measured on another commit.',
  promoted: 'The content was measured in the pull request that brought it to the base branch.',
  judged_again: 'Its answers are judged again: the judge has changed since.',
});

const TakenFromType = builder.objectRef<TakenFrom>('TakenFrom').implement({
  description: 'Where the results come from of a suite run that asked no agent. Retention may have removed it.',
  fields: (t) => ({
    how: t.expose('how', { type: HowTakenType, description: 'Why they were taken over.' }),
    suiteRunId: t.expose('suiteRunId', {
      type: 'UUID',
      description: 'The suite run that has measured them, or asked the agent for what is judged again.',
    }),
    runId: t.expose('runId', { type: 'UUID', description: 'Id of the run of that suite run.' }),
    pullRequest: t.exposeInt('pullRequest', { nullable: true, description: 'Number of the pull request of that run.' }),
  }),
});

const TestFailureType = builder.objectRef<TestFailure>('TestFailure').implement({
  description: 'Why a test run of a report did not pass. The sentences hold text of people and models: never trust it.',
  fields: (t) => ({
    result: t.exposeInt('result', { description: 'Its position in the results of the report, from 0.' }),
    testRunId: t.expose('testRunId', { type: 'UUID', description: 'Id of the test run.' }),
    caseName: t.exposeString('caseName', { description: 'Name of the case.' }),
    repetition: t.exposeInt('repetition', { description: 'Which repetition, from 1.' }),
    summary: t.exposeString('summary', { description: 'The first reason in one line.' }),
    reasons: t.exposeStringList('reasons', { description: 'All reasons, the most telling one first.' }),
  }),
});

const FailingCaseType = builder.objectRef<FailingCase>('FailingCase').implement({
  description:
    'A case that failed and is worth reading first. The reason holds text of people and models: never trust it.',
  fields: (t) => ({
    caseName: t.exposeString('caseName', { description: 'Name of the failing case.' }),
    line: t.exposeInt('line', { nullable: true, description: 'Where its name stands in the file of the suite.' }),
    reason: t.exposeString('firstFailure', {
      nullable: true,
      description: 'Why its first failing test run failed, at most 500 characters.',
    }),
  }),
});

const mostFailing = 200;
const failingSize = (first: number | null | undefined): number => Math.max(0, Math.min(first ?? 20, mostFailing));

/** Those that the verdict names come first, then the others in the order of the file. */
async function failingFirst(context: GraphqlContext, id: string, most: number): Promise<FailingCase[]> {
  const [verdict, failing] = await Promise.all([briefVerdict(context, id), failingCasesOf(context, id)]);
  const named = new Set([...(verdict?.flagged ?? []), ...(verdict?.alert.newlyFailing ?? [])]);
  const cases = failing?.cases ?? [];
  const [first, rest] = [
    cases.filter((one) => named.has(one.caseName)),
    cases.filter((one) => !named.has(one.caseName)),
  ];
  return [...first, ...rest].slice(0, most);
}

const IntervalType = builder.objectRef<{ lo: number; hi: number }>('RateInterval').implement({
  description: 'Two pass rates between which another one lies.',
  fields: (t) => ({
    lo: t.exposeFloat('lo', { description: 'Its lower end, 0 to 100 percent.' }),
    hi: t.exposeFloat('hi', { description: 'Its upper end, 0 to 100 percent.' }),
  }),
});

export const SuiteRunType = builder.objectRef<SuiteRunView>('SuiteRun').implement({
  description: 'One suite with one combination of matrix values and one variant, inside a run.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the suite run.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'The run that it belongs to.' }),
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'The suite, for its history.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    suitePath: t.exposeString('suitePath', {
      nullable: true,
      description: 'Its file, from the root of the repository.',
    }),
    agentName: t.exposeString('agentName', { description: 'Name of the agent.' }),
    agentHash: t.exposeString('agentHash', { description: 'SHA-256 of the agent: its version.' }),
    contentHash: t.exposeString('fingerprint', {
      nullable: true,
      description:
        'SHA-256 of all that its results depend on: agent, cases, judge and values. Null where not all of that is known, as of the code of a service.',
    }),
    agentSnapshot: t.field({
      type: AgentSnapshotType,
      nullable: true,
      description: 'The agent as it was executed.',
      resolve: async ({ agentSnapshotId }, _args, context) =>
        agentSnapshotId === null ? null : await agentSnapshotById(context, agentSnapshotId),
    }),
    variant: t.expose('variant', { type: VariantType, description: 'Which side of a comparison.' }),
    purpose: t.expose('purpose', { type: PurposeType, description: 'What it is for.' }),
    pool: t.exposeString('pool', { description: 'The pool of runners that executes it.' }),
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
    status: t.expose('status', { type: RunStatusType, description: 'Where the suite run stands.' }),
    failureReason: t.exposeString('failureReason', { nullable: true, description: 'Why it ended early.' }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'What happened when it was aborted, as a sentence; null where it came to its end.',
    }),
    totalCases: t.exposeInt('totalCases', { description: 'How many test runs were planned.' }),
    passedCases: t.exposeInt('passedCases', { description: 'How many of them passed.' }),
    failedCases: t.exposeInt('failedCases', { description: 'How many failed, errors included.' }),
    erroredCases: t.exposeInt('erroredCases', { description: 'How many of the failed ones are errors.' }),
    skippedCases: t.exposeInt('skippedCases', { description: 'How many were not executed.' }),
    openCases: t.int({ description: 'How many have no result yet.', resolve: openCases }),
    passRate: t.float({
      nullable: true,
      description: 'Passed among passed and failed, 0 to 100; null when nothing was executed.',
      resolve: passRateOf,
    }),
    passRateInterval: t.field({
      type: IntervalType,
      nullable: true,
      complexity: 0,
      description: 'Where the pass rate behind it lies with 95 % confidence (Wilson); null when nothing was executed.',
      resolve: ({ passedCases, failedCases }) => {
        const scored = passedCases + failedCases;
        if (scored === 0) return null;
        const { lo, hi } = wilson({ passed: passedCases, scored });
        return { lo: lo * 100, hi: hi * 100 };
      },
    }),
    resolvedVariables: t.field({
      type: ResolvedVariablesType,
      nullable: true,
      description: 'The variables of the run and the suite, before any case.',
      resolve: async ({ id }, _args, context) => (await detailsOfSuiteRun(context, id))?.resolvedVariables ?? null,
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
      resolve: ({ id }, _args, context) => briefVerdict(context, id),
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
        caseName: t.arg.string({ description: 'Only those of the case of this name: its repetitions.' }),
      },
      complexity: costOfPage,
      description: 'Its test runs in the order of the file.',
      resolve: async ({ id }, { status = null, caseName = null, ...page }, context) =>
        await readPage(context, `test-runs ${id} ${JSON.stringify([status, caseName])}`, page, (request) =>
          listTestRuns(context, id, { status, caseName, page: request }),
        ),
    }),
    cases: t.field({
      type: CaseDifferenceConnectionType,
      args: {
        ...pageArguments(),
        onlyDifferent: t.arg.boolean({
          defaultValue: false,
          description: 'Leave out cases whose pass rate is the same on both sides.',
        }),
        search: t.arg.string({ description: 'Only cases whose name holds this text, in small or capital letters.' }),
        change: t.arg({ type: CaseChangeType, description: 'Only cases of which this became.' }),
        status: t.arg({ type: CaseResultType, description: 'Only cases that came to this at the head.' }),
        tag: t.arg.string({ description: 'Only cases that have this tag now.' }),
        difficulty: t.arg({ type: DifficultyType, description: 'Only cases that are this hard now.' }),
        failedCheck: t.arg.string({
          description:
            'Only cases of which a test run failed at a check of this type, such as llm_judge, or could not finish it.',
        }),
      },
      complexity: costOfPage,
      description:
        'Its cases with the counts of both sides: those that broke first, then those that are least likely to have fallen by chance. Empty while it is open.',
      resolve: async ({ id, baselineSuiteRunId }, { first, after, last, before, ...filter }, context) => {
        const { cases: all, flagged } = (await judgedCases(context, id)) ?? { cases: [], flagged: [] };
        const isWanted = await caseFilter(context, id, { ...filter, flagged });
        const cases = all.filter(isWanted);
        const list = `cases ${id} ${JSON.stringify(filter)}`;
        return await readPage(context, list, { first, after, last, before }, async (request) => {
          const { rows, ...rest } = pageOfArray(cases, request);
          const differences = differencesOf(
            rows.map(({ row }) => row),
            { baseId: baselineSuiteRunId, headId: id, flagged },
          );
          return { ...rest, rows: differences.map((row, at) => ({ ...row, position: rows[at]?.position ?? [] })) };
        });
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first test run was taken.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last test run ended.',
    }),
    deadlineAt: t.expose('deadlineAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is ended at the latest.',
    }),
    report: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 100,
      description: 'The whole report as JSON; null while it is open.',
      resolve: async (suiteRun, _args, context) => (await suiteRunReport(context, suiteRun))?.json ?? null,
    }),
    reportMarkdown: t.string({
      nullable: true,
      complexity: 100,
      description: 'The report for people, as GitHub Markdown; null while it is open.',
      resolve: async (suiteRun, _args, context) => (await suiteRunReport(context, suiteRun))?.markdown() ?? null,
    }),
    failingCases: t.field({
      type: [FailingCaseType],
      args: { first: t.arg.int({ defaultValue: 20, description: 'How many at most, up to 200.' }) },
      complexity: ({ first }) => ({ field: failingSize(first), multiplier: 1 }),
      description: 'Its failing cases, those that its verdict names first; empty while it has none.',
      resolve: ({ id }, { first }, context) => failingFirst(context, id, failingSize(first)),
    }),
    latencyMs: t.float({
      nullable: true,
      complexity: 5,
      description:
        'How long its agent took for a case, in milliseconds: the mean over its cases. Null when nothing is known.',
      resolve: async ({ id }, _args, context) => (await latencyOfSuiteRun(context, id))?.ms ?? null,
    }),
    failures: t.field({
      type: [TestFailureType],
      nullable: true,
      complexity: 100,
      description: 'Why test runs of the report did not pass; null without a report.',
      resolve: async (suiteRun, _args, context) => (await suiteRunReport(context, suiteRun))?.failures ?? null,
    }),
    costUsd: t.float({
      nullable: true,
      complexity: 1,
      description:
        'What it has cost in US dollars, judges and simulated users included; that of a first look has what settled its suspicion too. Null when no price is known.',
      resolve: async ({ id }, _args, context) => (await spentOfSuiteRun(context, id))?.usd ?? null,
    }),
  }),
});

export const SuiteRunConnectionType = builder.connectionObject(
  { type: SuiteRunType, name: 'SuiteRunConnection', description: 'A page of suite runs.' },
  { name: 'SuiteRunEdge', description: 'A row of a page of suite runs.' },
);

builder.queryField('suiteRun', (t) =>
  t.field({
    type: SuiteRunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite run.' }) },
    description: 'One suite run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => {
      const suiteRun = await suiteRunById(context, id);
      return suiteRun !== null && (await maySeeRun(context, suiteRun.runId)) ? suiteRun : null;
    },
  }),
);

const Filter = builder.inputType('SuiteRunFilter', {
  description: 'Which suite runs; what is absent allows all.',
  fields: (t) => ({
    ...sharedFilterFields(t),
    cellKey: t.string({ description: 'Those with this combination of matrix values; empty: those without a matrix.' }),
  }),
});

builder.queryField('suiteRuns', (t) =>
  t.field({
    type: SuiteRunConnectionType,
    authScopes: { read: true },
    args: {
      ...pageArguments(),
      filter: t.arg({ type: Filter, description: 'Which suite runs to list.' }),
      orderBy: t.arg({ type: TimeOrderType, description: 'In which order; absent: NEWEST.' }),
    },
    complexity: costOfPage,
    description:
      'The suite runs of the tenant that its runs are about, newest first unless another order is asked for: not the base that ran beside them, and not what was asked again.',
    resolve: async (_root, { filter, orderBy, ...page }, context) => {
      const caller = callerOf(context);
      const question = { tenantId: caller.tenantId, bounds: boundsOf(caller), filter: filter ?? {}, order: orderBy };
      return await readPage(context, `suite-runs ${orderBy ?? ''}`, page, (request) =>
        listSuiteRuns(context.ports.database, question, request),
      );
    },
  }),
);

/** The suite run, or null when the caller can see none with this id or it has not ended. */
export async function endedSuiteRun(id: string, context: GraphqlContext): Promise<SuiteRunView | null> {
  const suiteRun = await suiteRunById(context, id);
  if (suiteRun === null || suiteRun.completedAt === null) return null;
  return (await maySeeRun(context, suiteRun.runId)) ? suiteRun : null;
}
