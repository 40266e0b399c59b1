import { z } from 'zod';
import { CaseOutcome } from '../results/case-outcome.ts';
import { ChunkPlace, LARGEST_CHUNK, PROTOCOL_VERSION } from './task-message.ts';

/** Which test run it is, its place in the chunk says: what a runner sends is never taken for an id. */
export const TestRunResult = z.strictObject({
  chunkId: z.uuid(),
  at: ChunkPlace,
  attempt: z.int().min(1),
  outcome: CaseOutcome,
});
export type TestRunResult = z.infer<typeof TestRunResult>;

/** Runner to coordinator: up to 64 results of one run. */
export const ResultMessage = z.strictObject({
  v: z.literal(PROTOCOL_VERSION),
  kind: z.literal('results'),
  tenantId: z.uuid(),
  runId: z.uuid(),
  sessionId: z.uuid(),
  results: z.array(TestRunResult).min(1).max(LARGEST_CHUNK),
});
export type ResultMessage = z.infer<typeof ResultMessage>;
