import { z } from 'zod';
import { operation } from './operation.ts';

/** The whole test report of a suite run as JSON; null while it is open, when it has none, or for an unknown id. */
export const suiteRunReportOperation = operation<{ id: string }>()(
  'SuiteRunReport',
  'query SuiteRunReport($id: UUID!) { suiteRun(id: $id) { report } }',
  z
    .looseObject({ suiteRun: z.looseObject({ report: z.unknown() }).nullable() })
    .transform(({ suiteRun }) => suiteRun?.report ?? null),
);

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

/** An ended test run with everything that a repeat needs. `work` is a `CaseWork`, `outcome` a `CaseOutcome`. */
export const EndedTestRun = z.looseObject({
  caseName: z.string(),
  caseHash: z.string(),
  instrumentHash: z.string(),
  sortOrder: z.int(),
  repetition: z.int(),
  skipReason: z.string().nullable(),
  work: z.unknown(),
  outcome: z.unknown(),
});
export type EndedTestRun = z.infer<typeof EndedTestRun>;

const Page = z.looseObject({
  edges: z.array(z.looseObject({ node: EndedTestRun })),
  pageInfo: z.looseObject({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
});

/** A page of the test runs of one suite run, in the order of its suite; `next`: where the following page begins. */
export const EndedTestRuns = z
  .looseObject({ agentHash: z.string(), settingKey: z.string(), testRuns: Page })
  .transform(({ agentHash, settingKey, testRuns: { edges, pageInfo } }) => ({
    agentHash,
    settingKey,
    testRuns: edges.map(({ node }) => node),
    next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
  }));
export type EndedTestRuns = z.infer<typeof EndedTestRuns>;

/** Null: there is no such suite run for this token. */
export const suiteRunTestRunsOperation = operation<{ id: string; after: string | null }>()(
  'SuiteRunTestRuns',
  `query SuiteRunTestRuns($id: UUID!, $after: String) {
    suiteRun(id: $id) {
      agentHash settingKey
      testRuns(first: 50, after: $after) {
        edges { node { caseName caseHash instrumentHash sortOrder repetition skipReason work outcome } }
        pageInfo { endCursor hasNextPage }
      }
    }
  }`,
  z.looseObject({ suiteRun: EndedTestRuns.nullable() }).transform(({ suiteRun }) => suiteRun),
);
