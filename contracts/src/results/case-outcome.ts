import { z } from 'zod';
import { CassetteEntry } from '../definitions/cassette.ts';
import { JsonData } from '../definitions/texts.ts';
import { ErrorKind } from './error-kind.ts';
import { ProcessedFileInput } from './processed-file.ts';

/** Why a check ended as it did; the key spelling is that of seed 002, whose rows hold these objects. */
export const CheckDetails = z.strictObject({
  matchedPhrases: z.array(z.string()).optional(),
  missingPhrases: z.array(z.string()).optional(),
  similarityScore: z.number().nullable().optional(),
  threshold: z.number().optional(),
  judgement: z.enum(['pass', 'fail', 'error']).optional(),
  reasoning: z.string().optional(),
  /** Only the beginning of a text was compared, because the model takes no more. */
  truncated: z.boolean().optional(),
  /** Of a check that is code, or a group with weights. */
  score: z.number().optional(),
  /** What code measured beside its score, by name. */
  metrics: z.record(z.string(), z.number()).optional(),
  /** The checks inside of one, or the parts that code told of. */
  components: z
    .array(
      z.strictObject({
        name: z.string(),
        status: z.enum(['pass', 'fail', 'error', 'skip']),
        score: z.number().optional(),
        reasoning: z.string().optional(),
      }),
    )
    .optional(),
});
export type CheckDetails = z.infer<typeof CheckDetails>;

/** One check of the `expected_behavior` block. `status` tells an error from a fail; `passed` is what seed 002 stores. */
export const CheckResult = z.strictObject({
  checkIndex: z.int().min(0),
  /** Which turn of a fixed conversation it judges, from 0. Absent: the whole. */
  turn: z.int().min(0).optional(),
  checkType: z.string().min(1),
  /** skip: code says that there is nothing to judge here. */
  status: z.enum(['pass', 'fail', 'error', 'skip']),
  passed: z.boolean(),
  details: CheckDetails,
  error: z.string().nullable().default(null),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** What people call a check: its type, and in a fixed conversation whose answer it judges. */
export const checkName = ({ checkType, turn }: Pick<CheckResult, 'checkType' | 'turn'>): string =>
  turn === undefined ? checkType : `turn ${turn + 1}: ${checkType}`;

export const ToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  args: JsonData,
  argsError: z.string().nullable().default(null),
  result: JsonData,
  error: z.string().nullable().default(null),
  source: z.enum(['mock', 'live', 'reported', 'none']),
  /** Position of the mock that answered, in the suite's list. */
  entry: z.int().min(0).optional(),
  turn: z.int().min(0),
  durationMs: z.number().min(0),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const TokenUsage = z.strictObject({
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  cachedTokens: z.int().min(0).optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

export const TranscriptTurn = z.strictObject({
  role: z.enum(['user', 'agent', 'tool']),
  text: z.string(),
  toolCallId: z.string().optional(),
  /** Which turn of the agent this belongs to, counted from 0. */
  turn: z.int().min(0).optional(),
  /** How long whoever speaks needed for it. */
  durationMs: z.number().min(0).optional(),
});
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

/** Why a simulated conversation ended normally. */
export const EndReason = z.enum(['agent', 'simulator', 'max_turns', 'silent']);
export type EndReason = z.infer<typeof EndReason>;

/** A mistake of the simulated person that an extra look at a failed test run found. */
export const SimulatorFault = z.strictObject({
  /** Which of the person's messages, counted from 1. */
  message: z.int().min(1),
  kind: z.enum(['invented_fact', 'revealed_too_early', 'stopped_early', 'contradiction', 'wrong_role']),
  isCritical: z.boolean(),
  explanation: z.string(),
  correctBehavior: z.string(),
});
export type SimulatorFault = z.infer<typeof SimulatorFault>;

/** How a simulated conversation went, and what the simulated person cost beside the agent. */
export const ConversationFacts = z.strictObject({
  /** Null: it broke. */
  endReason: EndReason.nullable(),
  /** What the simulated person gave as its reason to leave. Recorded; it decides nothing. */
  leaveReason: z.enum(['goal_met', 'gave_up', 'blocked', 'out_of_scope']).nullable(),
  agentTurns: z.int().min(0),
  /** Why each try that does not count was thrown away; its tokens count. */
  discardedTries: z.array(z.string()),
  simulator: z.strictObject({
    /** Version of the prompt. */
    template: z.string(),
    model: z.string().nullable(),
    calls: z.int().min(0),
    usage: TokenUsage.nullable(),
    costUsd: z.number().min(0).nullable(),
  }),
  /** Absent: nobody looked. */
  review: z.array(SimulatorFault).optional(),
});
export type ConversationFacts = z.infer<typeof ConversationFacts>;

/** What the check of tool expectations found, in words a person can act on. */
export const ToolMatch = z.strictObject({
  matched: z.boolean().nullable(),
  problems: z.array(z.string()).default([]),
});
export type ToolMatch = z.infer<typeof ToolMatch>;

/** How the suite's mocks were used by one test run. */
export const MockUse = z.strictObject({
  /** Positions in the suite's list. */
  unusedEntries: z.array(z.int().min(0)),
  /** Names of declared tools, one for each call that no entry fitted. */
  unmatchedCalls: z.array(z.string()),
  /** What a model answered in place of tools and the work did not hold yet; a replay takes it from here. Absent: nothing. */
  recorded: z.array(CassetteEntry).optional(),
});
export type MockUse = z.infer<typeof MockUse>;

/** One metric of seed 000, exactly the keys its report allows. */
export const MetricResult = z
  .strictObject({
    metric_name: z.string().min(1),
    score: z.number().nullable().default(null),
    threshold: z.number().nullable().default(null),
    passed: z.boolean(),
    scale: z.number().nullable().default(null),
    error: z.string().nullable().default(null),
    retry_count: z.int().min(0).max(3).default(0),
    evaluation_time_ms: z.int().min(0),
    model_used: z.string().nullable().default(null),
  })
  .refine(({ score, scale }) => score === null || scale === null || (score >= 0 && score <= scale), {
    path: ['score'],
    message: 'score is outside of the scale',
    params: { code: 'out_of_range' },
  });
export type MetricResult = z.infer<typeof MetricResult>;

/** One criterion of the judge of outcomes: a key of `expected_outcomes`, or the rubric of `evaluation_criteria_override`. */
export const OutcomeCriterion = z.strictObject({
  id: z.string().min(1),
  requirement: z.string(),
  reasoning: z.string(),
  status: z.enum(['passed', 'failed', 'inconclusive']),
});
export type OutcomeCriterion = z.infer<typeof OutcomeCriterion>;

/** What the judge of outcomes says. Without a verdict `passed` and `score` are null and `error` tells why. */
export const OutcomesVerdict = z.strictObject({
  passed: z.boolean().nullable(),
  /** Share of passed criteria, 0 to 1. */
  score: z.number().min(0).max(1).nullable(),
  criteria: z.array(OutcomeCriterion),
  error: z.string().nullable(),
  /** The judge saw an attempt to instruct it. Shown to people; decides nothing. */
  injectionAttempt: z.boolean().default(false),
  /** Of models, parameters, template and rubric: verdicts are comparable only when it is equal. */
  judgeHash: z.string().nullable().default(null),
  /** Every answer word for word, one per judge. */
  answers: z.array(z.strictObject({ model: z.string(), text: z.string() })).default([]),
});
export type OutcomesVerdict = z.infer<typeof OutcomesVerdict>;

/** What of a metric no report file may hold: how it was measured, why it scored so, and the way it went. */
export const MetricDetail = z.strictObject({
  metric_name: z.string().min(1),
  kind: z.enum(['lexical', 'model', 'geval', 'rag', 'check', 'code']),
  /** The AI configuration of the model that the result names; absent: no model was asked. */
  configuration: z.string().optional(),
  reasoning: z.string().nullable().default(null),
  /** The evaluation steps of a G-Eval metric; `stepsGenerated` when a model wrote them because the definition has none. */
  steps: z.array(z.string()).optional(),
  stepsGenerated: z.boolean().optional(),
  progress: z.array(z.enum(['PENDING', 'EVALUATING', 'RETRY', 'COMPLETE', 'FAILED'])).default([]),
  /** When it came into each of these states, from its beginning. */
  progressAtMs: z.array(z.number().min(0)).optional(),
});
export type MetricDetail = z.infer<typeof MetricDetail>;

/** What a measuring role cost beside the agent, failed tries included; a sum leaves out what is not known. */
export const MeasuringCost = z.strictObject({
  /** The simulator is here for tools that it plays; the person it plays is in the conversation's facts. */
  role: z.enum(['judge', 'embedding', 'simulator']),
  calls: z.int().min(0),
  usage: TokenUsage.nullable(),
  costUsd: z.number().min(0).nullable(),
});
export type MeasuringCost = z.infer<typeof MeasuringCost>;

/** Something of a request that a model refused, so that it was asked without it or in another way. */
export const Adjustment = z.strictObject({
  /** The AI configuration. */
  configuration: z.string(),
  model: z.string(),
  setting: z.enum([
    'temperature',
    'seed',
    'reasoning_effort',
    'log_probabilities',
    'max_tokens',
    'structured_output',
    'stream_usage',
  ]),
  /** What was sent in its place, in a few words; null: nothing. */
  instead: z.string().nullable(),
});
export type Adjustment = z.infer<typeof Adjustment>;

/** A state of seed 000 that a test run went through, and when. */
export const ProgressStep = z.strictObject({
  state: z.enum([
    'PENDING',
    'PROCESSING_FILES',
    'FILES_READY',
    'FILES_FAILED',
    'EXECUTING_AGENT',
    'AGENT_COMPLETE',
    'AGENT_FAILED',
    'EVALUATING',
    'COMPLETE',
    'EVALUATION_FAILED',
  ]),
  /** Milliseconds since the attempt began. */
  atMs: z.number().min(0),
});
export type ProgressStep = z.infer<typeof ProgressStep>;

/** What one attempt at a test run yielded. The runner makes it, the ledger stores it, reports are computed from it. */
export const CaseOutcome = z.strictObject({
  status: z.enum(['passed', 'failed', 'error']),
  errorKind: ErrorKind.nullable(),
  errorMessage: z.string().nullable(),
  /** Some check or metric ended in an error that did not decide the result. */
  degraded: z.boolean().default(false),
  testInput: z.string(),
  /** The files of the case in its order, read or not. */
  files: z.array(ProcessedFileInput).default([]),
  response: z.string().nullable(),
  truncated: z.boolean().default(false),
  checks: z.array(CheckResult).default([]),
  toolCalls: z.array(ToolCall).default([]),
  tools: ToolMatch.default({ matched: null, problems: [] }),
  metrics: z.array(MetricResult).default([]),
  metricDetails: z.array(MetricDetail).default([]),
  /** Null when the case has no outcomes to judge, or was never judged. */
  outcomes: OutcomesVerdict.nullable().default(null),
  transcript: z.array(TranscriptTurn).default([]),
  /** Absent for a single-turn case. */
  conversation: ConversationFacts.optional(),
  /** Absent when the suite has no mocks and no call lacked one. */
  mocks: MockUse.optional(),
  /** Judges, metrics and embeddings; absent when no model measured anything. */
  measuring: z.array(MeasuringCost).optional(),
  /** What models of this test run refused, so that they were asked in another way. Absent: nothing. */
  adjustments: z.array(Adjustment).optional(),
  model: z.string().nullable().default(null),
  usage: TokenUsage.nullable().default(null),
  costUsd: z.number().min(0).nullable().default(null),
  /** Successful tries only, waiting for permits excluded; null when no try succeeded. */
  latencyMs: z.number().min(0).nullable().default(null),
  executionTimeMs: z.int().min(0),
  /** Absent: made by a version that did not note it. */
  progress: z.array(ProgressStep).max(10).optional(),
  retryCount: z.int().min(0).default(0),
  startedAt: z.iso.datetime(),
  flags: z.array(z.string()).default([]),
});
export type CaseOutcome = z.infer<typeof CaseOutcome>;
