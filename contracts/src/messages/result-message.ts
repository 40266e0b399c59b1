import { z } from 'zod';
import { CaseOutcome } from '../results/case-outcome.ts';
import { PROTOCOL_VERSION } from './task-message.ts';

export const TestRunResult = z.strictObject({
  testRunId: z.uuid(),
  suiteRunId: z.uuid(),
  attempt: z.int().min(1),
  outcome: CaseOutcome,
});
export type TestRunResult = z.infer<typeof TestRunResult>;

/** Runner to coordinator: up to 16 results of one run. */
export const ResultMessage = z.strictObject({
  v: z.literal(PROTOCOL_VERSION),
  kind: z.literal('results'),
  tenantId: z.uuid(),
  runId: z.uuid(),
  sessionId: z.uuid(),
  results: z.array(TestRunResult).min(1).max(16),
});
export type ResultMessage = z.infer<typeof ResultMessage>;
