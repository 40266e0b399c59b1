import { z } from 'zod';
import { ResolvedVariables } from '../definitions/variables.ts';
import { type CaseWork, WorkCase, WorkSetting } from './case-work.ts';

/** The version of the messages between coordinator and runner; a coordinator also accepts the one before. */
export const PROTOCOL_VERSION = 1;

/** More test runs than this never travel together. */
export const LARGEST_CHUNK = 64;

/** The place of a test run in its chunk, from 0. */
export const ChunkPlace = z
  .int()
  .min(0)
  .max(LARGEST_CHUNK - 1);

/** Compiled, which takes half a millisecond: a task has one of them for each test run. */
export const TaskTestRun = z.compile(
  z.strictObject({
    at: ChunkPlace,
    testRunId: z.uuid(),
    /** What the coordinator calls its case, for whoever looks for it in logs; absent: written by an older one. */
    testCaseId: z.uuid().optional(),
    /** Which of the task's settings it runs with, and which of its cases it is about. */
    setting: z.int().min(0),
    case: z.int().min(0),
    repetition: z.int().min(1),
    seed: z.string(),
  }),
);
export type TaskTestRun = z.infer<typeof TaskTestRun>;

/** Its variables are compiled, which takes a millisecond: each case of a task has them. */
const TaskCase = WorkCase.extend({ resolvedVariables: z.compile(ResolvedVariables) });

/**
 * Coordinator to runner: the test runs of one chunk. What several of them share is there once. A turn takes one slot: it is
 * one test run, or the baseline and the candidate of one repetition, which run one after the other.
 */
export const TaskMessage = z.strictObject({
  v: z.literal(PROTOCOL_VERSION),
  kind: z.literal('task'),
  tenantId: z.uuid(),
  runId: z.uuid(),
  chunkId: z.uuid(),
  publishGen: z.int().min(0),
  settings: z.array(WorkSetting).min(1).max(LARGEST_CHUNK),
  cases: z.array(TaskCase).min(1).max(LARGEST_CHUNK),
  turns: z.array(z.array(TaskTestRun).min(1).max(2)).min(1).max(LARGEST_CHUNK),
});
export type TaskMessage = z.infer<typeof TaskMessage>;

/** What a test run of the task has to do; undefined when the task names a setting or a case that it does not hold. */
export function workOf(task: Pick<TaskMessage, 'settings' | 'cases'>, testRun: TaskTestRun): CaseWork | undefined {
  const setting = task.settings[testRun.setting];
  const of = task.cases[testRun.case];
  if (setting === undefined || of === undefined) return undefined;
  return { ...setting, ...of, repetition: testRun.repetition, seed: testRun.seed };
}
