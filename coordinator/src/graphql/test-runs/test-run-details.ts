import type {
  CaseOutcome,
  CheckResult,
  MetricDetail,
  MetricResult,
  OutcomeCriterion,
  OutcomesVerdict,
  ProgressStep,
  ToolCall,
  TranscriptTurn,
} from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { storedPayload } from '../../ledger/incoming-results.ts';
import { joinParts, joinPlan, plannedWork, type StoredParts } from '../../ledger/work-parts.ts';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { byId } from '../loaders.ts';

export const CheckResultType = builder.objectRef<CheckResult>('CheckResult').implement({
  description: 'The verdict of one check about one test run.',
  fields: (t) => ({
    index: t.exposeInt('checkIndex', { description: 'Position of the check in the case, from 0.' }),
    turn: t.int({
      nullable: true,
      description: 'Of which turn of the conversation, from 0; null: of the whole.',
      resolve: ({ turn }) => turn ?? null,
    }),
    type: t.exposeString('checkType', {
      description: 'Which kind of check: contains_phrases, semantic_similarity, llm_judge.',
    }),
    status: t.exposeString('status', {
      description: 'pass, fail, error when the check itself could not be made, or skip when it has nothing to judge.',
    }),
    passed: t.exposeBoolean('passed', { description: 'Whether it passed; an error is not a pass.' }),
    details: t.field({
      type: 'JSON',
      description: 'Why: phrases found and missing, similarity, or the reasoning.',
      resolve: ({ details }) => details,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why the check could not be made.' }),
  }),
});

export const ToolCallType = builder.objectRef<ToolCall>('ToolCall').implement({
  description: 'One call of a tool by the agent.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id that the model gave the call.' }),
    name: t.exposeString('name', { description: 'Name of the tool.' }),
    args: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The arguments that the model gave.',
      resolve: ({ args }) => args,
    }),
    argsError: t.exposeString('argsError', { nullable: true, description: 'Why the arguments could not be read.' }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the tool answered.',
      resolve: ({ result }) => result,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The error that the agent was given instead of an answer.',
    }),
    source: t.exposeString('source', { description: 'Who answered: mock, live, reported, or none.' }),
    turn: t.exposeInt('turn', { description: 'In which turn of the conversation, from 0.' }),
    durationMs: t.exposeFloat('durationMs', { description: 'How long it took, in milliseconds.' }),
  }),
});

/** A metric with the test run that it belongs to, whose payload holds what no report file may. */
export type MetricResultView = MetricResult & { testRunId: string };

/** The large part of a result. */
export const transcriptOf = byId(readTranscripts);

/** The payload of the test run is read for it. */
const ofPayload = 5;

export const MetricResultType = builder.objectRef<MetricResultView>('MetricResult').implement({
  description: 'What one configured metric says about one test run.',
  fields: (t) => ({
    metricName: t.exposeString('metric_name', { description: 'Name of the metric.' }),
    kind: t.string({
      nullable: true,
      description: 'How it was measured: lexical, model, geval, rag, check or code.',
      complexity: ofPayload,
      resolve: async (metric, _args, context) => (await detailOf(metric, context))?.kind ?? null,
    }),
    score: t.exposeFloat('score', { nullable: true, description: 'Null when the metric ended in an error.' }),
    threshold: t.exposeFloat('threshold', { nullable: true, description: 'The least score that passes.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether the score reaches the threshold.' }),
    scale: t.exposeFloat('scale', { nullable: true, description: 'The highest score there is.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why there is no score.' }),
    reasoning: t.string({
      nullable: true,
      description: 'Why the score is what it is. Written by a model: never trust it.',
      complexity: ofPayload,
      resolve: async (metric, _args, context) => (await detailOf(metric, context))?.reasoning ?? null,
    }),
    evaluationSteps: t.stringList({
      description: 'The steps that a G-Eval metric followed; empty for all others.',
      complexity: ofPayload,
      resolve: async (metric, _args, context) => (await detailOf(metric, context))?.steps ?? [],
    }),
    progress: t.stringList({
      description: 'The states it went through: PENDING, EVALUATING, RETRY, COMPLETE, FAILED.',
      complexity: ofPayload,
      resolve: async (metric, _args, context) => (await detailOf(metric, context))?.progress ?? [],
    }),
    retryCount: t.exposeInt('retry_count', { description: 'How often it was tried again.' }),
    evaluationTimeMs: t.exposeInt('evaluation_time_ms', { description: 'How long it took, in milliseconds.' }),
    modelUsed: t.exposeString('model_used', { nullable: true, description: 'The model that judged.' }),
    configuration: t.string({
      nullable: true,
      description: 'The AI configuration of that model; null where no model was asked.',
      complexity: ofPayload,
      resolve: async (metric, _args, context) => (await detailOf(metric, context))?.configuration ?? null,
    }),
  }),
});

async function detailOf(
  { testRunId, metric_name }: MetricResultView,
  context: GraphqlContext,
): Promise<MetricDetail | undefined> {
  const payload = await transcriptOf(context, testRunId);
  return payload?.outcome?.metricDetails?.find((detail) => detail.metric_name === metric_name);
}

const OutcomeCriterionType = builder.objectRef<OutcomeCriterion>('OutcomeCriterion').implement({
  description: 'What the judge decided about one expected outcome.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its key in the case, or `override` for criteria of the team’s own.' }),
    requirement: t.exposeString('requirement', { description: 'What had to be true at the end.' }),
    reasoning: t.exposeString('reasoning', { description: 'Why. Written by a model: never trust it.' }),
    status: t.exposeString('status', { description: 'passed, failed or inconclusive.' }),
  }),
});

export const OutcomesVerdictType = builder.objectRef<OutcomesVerdict>('OutcomesVerdict').implement({
  description: 'What the judge says about the expected outcomes of one test run.',
  fields: (t) => ({
    passed: t.exposeBoolean('passed', { nullable: true, description: 'Null when they could not be judged.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'Share of outcomes that were reached, 0 to 1.' }),
    criteria: t.field({
      type: [OutcomeCriterionType],
      complexity: { field: 1, multiplier: 2 },
      description: 'One decision per expected outcome.',
      resolve: ({ criteria }) => criteria,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why there is no verdict.' }),
    injectionAttempt: t.exposeBoolean('injectionAttempt', {
      description: 'Whether the judge saw an attempt to instruct it. It decides nothing.',
    }),
    judgeHash: t.exposeString('judgeHash', {
      nullable: true,
      description: 'Of models, parameters, prompts and rubric: verdicts are comparable only when it is equal.',
    }),
  }),
});

export const TranscriptTurnType = builder.objectRef<TranscriptTurn>('TranscriptTurn').implement({
  description: 'One turn of the conversation.',
  fields: (t) => ({
    role: t.exposeString('role', { description: 'Who speaks: user, agent or tool.' }),
    text: t.exposeString('text', { description: 'What was said. Written by a model or a person: never trust it.' }),
    toolCallId: t.exposeString('toolCallId', { nullable: true, description: 'The call that a tool answers.' }),
  }),
});

export const ProgressStepType = builder.objectRef<ProgressStep>('ProgressStep').implement({
  description: 'A state that an attempt at a test run went through.',
  fields: (t) => ({
    state: t.exposeString('state', {
      description:
        'PENDING, PROCESSING_FILES, FILES_READY or FILES_FAILED, EXECUTING_AGENT, AGENT_COMPLETE or AGENT_FAILED, EVALUATING, COMPLETE or EVALUATION_FAILED.',
    }),
    atMs: t.exposeFloat('atMs', { description: 'When, in milliseconds since the attempt began.' }),
  }),
});

export const ResolvedVariablesType = builder.objectRef<ResolvedVariables>('ResolvedVariables').implement({
  description: 'The variables as they were used, written once before anything was executed.',
  fields: (t) => ({
    values: t.field({ type: 'JSON', description: 'The values, name to value.', resolve: ({ values }) => values }),
    sources: t.field({
      type: 'JSON',
      description: 'Name to the level that the value came from: run, suite, test, ai_configuration, agent or type.',
      resolve: ({ sources }) => sources,
    }),
  }),
});

/** The large part of a result, which lists leave aside. */
interface TranscriptView {
  id: string;
  work: CaseWork | null;
  outcome: (Partial<CaseOutcome> & { transcript?: TranscriptTurn[] }) | null;
}

/** The transcripts of these test runs that belong to the tenant, in no order. */
async function readTranscripts(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<TranscriptView[]> {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<Omit<TranscriptView, 'work'> & { work: StoredParts | null }>`
      select c.id, ${plannedWork} as work, ${storedPayload('c')} as outcome from test_case_results c ${joinPlan('c')}
      where c.id = any(${ids}::uuid[])`,
  );
  return rows.map(({ id, work, outcome }) => ({ id, work: work === null ? null : joinParts(work), outcome }));
}
