import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { visibleRun } from '../runs/read-runs.ts';
import { suiteRunById } from '../suite-runs/read-suite-runs.ts';
import { ErrorKindType, TestRunStatusType, VariantType } from '../words.ts';
import {
  CheckResultType,
  MetricResultType,
  OutcomesVerdictType,
  ProgressStepType,
  ResolvedVariablesType,
  ToolCallType,
  TranscriptTurnType,
  transcriptOf,
} from './test-run-details.ts';
import { readTestRun, type TestRunView } from './test-run-view.ts';
import { wholeOutcome } from './whole-outcome.ts';

/** Lists that come with their row: only what is read below their items costs something. */
const ofOneRow = { field: 0, multiplier: 2 };

export const TestRunType = builder.objectRef<TestRunView>('TestRun').implement({
  description: 'One case and one repetition in a suite run.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the test run.' }),
    suiteRunId: t.expose('suiteRunId', { type: 'UUID', description: 'The suite run that it belongs to.' }),
    testCaseId: t.expose('testCaseId', { type: 'UUID', description: 'The case, for its history.' }),
    caseName: t.exposeString('caseName', { description: 'Name of the case.' }),
    caseKey: t.exposeString('caseKey', { description: 'What makes it the same case in another run.' }),
    caseHash: t.exposeString('caseHash', { description: 'SHA-256 of the content of the case.' }),
    instrumentHash: t.exposeString('instrumentHash', {
      description: 'What measures it, with digests of its parts: only results with an equal one may be compared.',
    }),
    sortOrder: t.exposeInt('sortOrder', { description: 'Where the case stands in its suite, from 0.' }),
    repetition: t.exposeInt('repetition', { description: 'Which repetition, from 1.' }),
    variant: t.expose('variant', { type: VariantType, description: 'Which side of a comparison.' }),
    attempt: t.exposeInt('attempt', { description: 'How often a runner took it; 0 when none did.' }),
    status: t.expose('status', { type: TestRunStatusType, description: 'Where the test run stands.' }),
    errorKind: t.field({
      type: ErrorKindType,
      nullable: true,
      description: 'Why there is no verdict.',
      resolve: ({ errorKind }) => errorKind,
    }),
    errorMessage: t.exposeString('errorMessage', { nullable: true, description: 'The same in words.' }),
    skipReason: t.exposeString('skipReason', { nullable: true, description: 'Why it was not executed.' }),
    degraded: t.exposeBoolean('degraded', {
      description: 'Whether a check or metric ended in an error that did not decide.',
    }),
    truncated: t.exposeBoolean('truncated', { description: 'Whether texts were cut to be stored.' }),
    testInput: t.exposeString('testInput', { nullable: true, description: 'What the agent was asked first.' }),
    response: t.exposeString('response', {
      nullable: true,
      description: 'What it answered last. Written by a model: never trust it.',
    }),
    checks: t.field({
      type: [CheckResultType],
      complexity: ofOneRow,
      description: 'The verdicts of its checks, in the order of the case.',
      resolve: ({ checks }) => checks,
    }),
    toolCalls: t.field({
      type: [ToolCallType],
      complexity: ofOneRow,
      description: 'The calls of tools, in order.',
      resolve: ({ toolCalls }) => toolCalls,
    }),
    toolsMatched: t.exposeBoolean('toolsMatched', {
      nullable: true,
      description: 'Whether the calls were the expected ones; null when nothing was expected.',
    }),
    metricResults: t.field({
      type: [MetricResultType],
      complexity: ofOneRow,
      description: 'The scores of its metrics.',
      resolve: ({ id, metrics }) => metrics.map((metric) => ({ ...metric, testRunId: id })),
    }),
    metricsPassed: t.int({
      description: 'How many metrics passed.',
      resolve: ({ metrics }) => metrics.filter(({ passed }) => passed).length,
    }),
    metricsTotal: t.int({ description: 'How many metrics there are.', resolve: ({ metrics }) => metrics.length }),
    transcript: t.field({
      type: [TranscriptTurnType],
      complexity: { field: 10, multiplier: ofOneRow.multiplier },
      description: 'The whole conversation, turn by turn.',
      resolve: async ({ id }, _args, context) => (await transcriptOf(context, id))?.outcome?.transcript ?? [],
    }),
    outcomes: t.field({
      type: OutcomesVerdictType,
      nullable: true,
      complexity: 10,
      description: 'What a judge says about its expected outcomes; null when it has none or was never judged.',
      resolve: async ({ id }, _args, context) => (await transcriptOf(context, id))?.outcome?.outcomes ?? null,
    }),
    outcome: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description:
        'Everything that came of it, as the runner sent it; null while it is open, or when it was not executed. Much of it is written by models: never trust it.',
      resolve: async (testRun, _args, context) => {
        const { status } = testRun;
        if (status === 'queued' || status === 'running' || status === 'skipped') return null;
        return wholeOutcome({ ...testRun, status }, (await transcriptOf(context, testRun.id))?.outcome ?? null);
      },
    }),
    work: t.field({
      type: 'JSON',
      nullable: true,
      complexity: 10,
      description:
        'Everything that a runner was given: enough to run it again. Null when no runner was asked, or while it is open.',
      resolve: async ({ id }, _args, context) => (await transcriptOf(context, id))?.work ?? null,
    }),
    recordedFrom: t.string({
      nullable: true,
      complexity: 10,
      description: 'The test run whose answer it judges again; null: its own agent was asked, or it is open.',
      resolve: async ({ id }, _args, context) => (await transcriptOf(context, id))?.work?.recorded?.testRunId ?? null,
    }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'The model of the agent, as the provider names it.',
    }),
    promptTokens: t.exposeInt('promptTokens', { nullable: true, description: 'Tokens that went in.' }),
    completionTokens: t.exposeInt('completionTokens', { nullable: true, description: 'Tokens that came out.' }),
    costUsd: t.exposeFloat('costUsd', {
      nullable: true,
      description: 'What it cost in US dollars; null when no price is known.',
    }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'Time of the calls that succeeded, in milliseconds.',
    }),
    executionTimeMs: t.exposeInt('executionTimeMs', {
      nullable: true,
      description: 'Time with everything included, in milliseconds.',
    }),
    retryCount: t.exposeInt('retryCount', { description: 'How often a call was tried again.' }),
    resolvedVariables: t.field({
      type: ResolvedVariablesType,
      nullable: true,
      description: 'The variables that it was given, and where each came from.',
      resolve: ({ resolvedVariables }) => resolvedVariables,
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the attempt with the result began.',
    }),
    progress: t.field({
      type: [ProgressStepType],
      complexity: 10,
      description: 'The states that its attempt went through, in their order; empty while it is open.',
      resolve: async ({ id }, _args, context) => (await transcriptOf(context, id))?.outcome?.progress ?? [],
    }),
  }),
});

export const TestRunConnectionType = builder.connectionObject(
  { type: TestRunType, name: 'TestRunConnection', description: 'A page of test runs.' },
  { name: 'TestRunEdge', description: 'A row of a page of test runs.' },
);

builder.queryField('testRun', (t) =>
  t.field({
    type: TestRunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the test run.' }) },
    description: 'One test run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => {
      const testRun = await readTestRun(context.ports.database, callerOf(context).tenantId, id);
      const suiteRun = testRun === null ? null : await suiteRunById(context, testRun.suiteRunId);
      return suiteRun !== null && (await visibleRun(context, suiteRun.runId)) !== null ? testRun : null;
    },
  }),
);
