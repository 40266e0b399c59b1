import { z } from 'zod';
import { ConversationFacts, MockUse, TokenUsage, ToolCall, TranscriptTurn } from '../results/case-outcome.ts';
import { ErrorKind } from '../results/error-kind.ts';
import { ProcessedFileInput } from '../results/processed-file.ts';

/**
 * A conversation that was had already, whole. A test run that carries one asks no agent, no simulated person and no
 * tool: only what judges runs again.
 */
export const RecordedConversation = z.strictObject({
  /** The test run whose conversation it is. */
  testRunId: z.string().min(1),
  testInput: z.string(),
  files: z.array(ProcessedFileInput),
  response: z.string().nullable(),
  transcript: z.array(TranscriptTurn),
  toolCalls: z.array(ToolCall),
  conversation: ConversationFacts.optional(),
  mocks: MockUse.optional(),
  model: z.string().nullable(),
  usage: TokenUsage.nullable(),
  /** What an agent that reports no usage said that it cost; absent: nothing. */
  toldCostUsd: z.number().min(0).optional(),
  latencyMs: z.number().min(0).nullable(),
  retryCount: z.int().min(0),
  /** What readers of the answer have to know; what a judge made of it is not among them. */
  flags: z.array(z.string()),
  /** The conversation broke: there is nothing to judge. */
  error: z.strictObject({ kind: ErrorKind, message: z.string() }).nullable(),
});
export type RecordedConversation = z.infer<typeof RecordedConversation>;
