import { z } from 'zod';
import { ErrorKind } from './error-kind.ts';

/** Why a check ended as it did; the key spelling is that of seed 002, whose rows hold these objects. */
export const CheckDetails = z.strictObject({
  matchedPhrases: z.array(z.string()).optional(),
  missingPhrases: z.array(z.string()).optional(),
  similarityScore: z.number().nullable().optional(),
  threshold: z.number().optional(),
  judgement: z.enum(['pass', 'fail', 'error']).optional(),
  reasoning: z.string().optional(),
});
export type CheckDetails = z.infer<typeof CheckDetails>;

/** One check of the `expected_behavior` block. `status` tells an error from a fail; `passed` is what seed 002 stores. */
export const CheckResult = z.strictObject({
  checkIndex: z.int().min(0),
  checkType: z.string().min(1),
  status: z.enum(['pass', 'fail', 'error']),
  passed: z.boolean(),
  details: CheckDetails,
  error: z.string().nullable().default(null),
});
export type CheckResult = z.infer<typeof CheckResult>;

export const ToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  args: z.json(),
  argsError: z.string().nullable().default(null),
  result: z.json(),
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
});
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

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
});
export type MockUse = z.infer<typeof MockUse>;

/** One metric of seed 000, exactly the keys its report allows. */
export const MetricResult = z
  .strictObject({
    metric_name: z.string().min(1),
    score: z.number().nullable(),
    threshold: z.number().nullable().default(null),
    passed: z.boolean(),
    scale: z.number().nullable().default(null),
    error: z.string().nullable().default(null),
    retry_count: z.int().min(0).max(3).default(0),
    evaluation_time_ms: z.int().min(0),
    model_used: z.string().nullable().default(null),
  })
  .refine((metric) => metric.score === null || metric.scale === null || metric.score <= metric.scale, {
    path: ['score'],
    message: 'score is above the scale',
  });
export type MetricResult = z.infer<typeof MetricResult>;

/** What one attempt at a test run yielded. The runner makes it, the ledger stores it, reports are computed from it. */
export const CaseOutcome = z.strictObject({
  status: z.enum(['passed', 'failed', 'error']),
  errorKind: ErrorKind.nullable(),
  errorMessage: z.string().nullable(),
  /** Some check or metric ended in an error that did not decide the result. */
  degraded: z.boolean().default(false),
  testInput: z.string(),
  response: z.string().nullable(),
  truncated: z.boolean().default(false),
  checks: z.array(CheckResult).default([]),
  toolCalls: z.array(ToolCall).default([]),
  tools: ToolMatch.default({ matched: null, problems: [] }),
  metrics: z.array(MetricResult).default([]),
  transcript: z.array(TranscriptTurn).default([]),
  /** Absent when the suite has no mocks and no call lacked one. */
  mocks: MockUse.optional(),
  model: z.string().nullable().default(null),
  usage: TokenUsage.nullable().default(null),
  costUsd: z.number().min(0).nullable().default(null),
  /** Successful tries only, waiting for permits excluded; null when no try succeeded. */
  latencyMs: z.number().min(0).nullable().default(null),
  executionTimeMs: z.int().min(0),
  retryCount: z.int().min(0).default(0),
  startedAt: z.iso.datetime(),
  flags: z.array(z.string()).default([]),
});
export type CaseOutcome = z.infer<typeof CaseOutcome>;
