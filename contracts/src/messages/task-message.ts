import { z } from 'zod';
import { CaseWork } from './case-work.ts';

/** The version of the messages between coordinator and runner; a coordinator also accepts the one before. */
export const PROTOCOL_VERSION = 1;

export const TaskTestRun = z.strictObject({ testRunId: z.uuid(), suiteRunId: z.uuid(), work: CaseWork });
export type TaskTestRun = z.infer<typeof TaskTestRun>;

/** Coordinator to runner: one test run, or the baseline and candidate of one repetition, which stay together. */
export const TaskMessage = z.strictObject({
  v: z.literal(PROTOCOL_VERSION),
  kind: z.literal('task'),
  tenantId: z.uuid(),
  runId: z.uuid(),
  publishGen: z.int().min(0),
  testRuns: z.array(TaskTestRun).min(1).max(2),
});
export type TaskMessage = z.infer<typeof TaskMessage>;
