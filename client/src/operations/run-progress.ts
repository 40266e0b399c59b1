import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredRunStatus } from './words.ts';

/** How far a run is: enough for one line. */
export const RunProgress = z
  .looseObject({
    status: AnsweredRunStatus,
    totalCases: z.int(),
    openCases: z.int(),
    totalSuiteRuns: z.int(),
    finishedSuiteRuns: z.int(),
  })
  .transform((run) => ({
    status: run.status,
    totalCases: run.totalCases,
    finishedCases: run.totalCases - run.openCases,
    totalSuiteRuns: run.totalSuiteRuns,
    finishedSuiteRuns: run.finishedSuiteRuns,
    isEnded: run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled',
  }));
export type RunProgress = z.infer<typeof RunProgress>;

/** Null: there is no run with this id for this token. */
export const runProgressOperation = operation<{ id: string }>()(
  'RunProgress',
  `query RunProgress($id: UUID!) {
    run(id: $id) { status totalCases openCases totalSuiteRuns finishedSuiteRuns }
  }`,
  z.looseObject({ run: RunProgress.nullable() }).transform(({ run }) => run),
);
