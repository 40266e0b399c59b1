import { z } from 'zod';
import { operation } from './operation.ts';
import { AnsweredStart, startedFields } from './start-run.ts';

/** A test run with what it was given and what came of it. `work` is a `CaseWork`, `outcome` a `CaseOutcome`. */
export const TestRunWork = z.looseObject({
  id: z.uuid(),
  caseName: z.string(),
  repetition: z.int(),
  status: z.string().transform((word) => word.toLowerCase()),
  skipReason: z.string().nullable(),
  work: z.unknown(),
  outcome: z.unknown(),
});
export type TestRunWork = z.infer<typeof TestRunWork>;

/** Null: there is no test run with this id for this token. */
export const testRunWorkOperation = operation<{ id: string }>()(
  'TestRunWork',
  'query TestRunWork($id: UUID!) { testRun(id: $id) { id caseName repetition status skipReason work outcome } }',
  z.looseObject({ testRun: TestRunWork.nullable() }).transform(({ testRun }) => testRun),
);

const Found = z.looseObject({
  suiteRuns: z.array(
    z.looseObject({
      testRuns: z.looseObject({ edges: z.array(z.looseObject({ node: z.looseObject({ id: z.uuid() }) })) }),
    }),
  ),
});

/** The id of the first test run of a run; null when it has none, or when there is no such run for this token. */
export const onlyTestRunOperation = operation<{ id: string }>()(
  'OnlyTestRun',
  'query OnlyTestRun($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 1) { edges { node { id } } } } } }',
  z
    .looseObject({ run: Found.nullable() })
    .transform(({ run }) => run?.suiteRuns[0]?.testRuns.edges[0]?.node.id ?? null),
);

export interface RepeatTestRunInput {
  testRunId: string;
  /** The same key is the same repeat, whatever the number of tries. */
  idempotencyKey: string;
}

export const repeatTestRunOperation = operation<{ input: RepeatTestRunInput }>()(
  'RepeatTestRun',
  `mutation RepeatTestRun($input: RepeatTestRunInput!) {
    repeatTestRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ repeatTestRun: AnsweredStart }).transform(({ repeatTestRun }) => repeatTestRun),
);
