import { z } from 'zod';
import { operation } from '../operation.ts';

const Failure = z.looseObject({
  /** Position in the results of the report. */
  result: z.int(),
  testRunId: z.uuid(),
  caseName: z.string(),
  repetition: z.int(),
  summary: z.string(),
  reasons: z.array(z.string()),
});

/** What one suite run came to. The report, a `TestReport`, is null when nothing was executed. */
export const SuiteRunResult = z.looseObject({
  report: z.unknown(),
  failures: z
    .array(Failure)
    .nullable()
    .transform((failures) => failures ?? []),
  costUsd: z.number().nullable(),
});
export type SuiteRunResult = z.infer<typeof SuiteRunResult>;

/** Null: there is no such suite run for this token. */
export const suiteRunResultOperation = operation<{ id: string }>()(
  'SuiteRunResult',
  `query SuiteRunResult($id: UUID!) {
    suiteRun(id: $id) { report costUsd failures { result testRunId caseName repetition summary reasons } }
  }`,
  z.looseObject({ suiteRun: SuiteRunResult.nullable() }).transform(({ suiteRun }) => suiteRun),
);
