import type { SuiteRunResultQuery, SuiteRunTestRunsQuery } from './documents.ts';

/** What one suite run came to. The report, a `TestReport`, is null when nothing was executed. */
export type SuiteRunResult = ReturnType<typeof suiteRunResultOf>;

export const suiteRunResultOf = ({ report, failures, costUsd }: NonNullable<SuiteRunResultQuery['suiteRun']>) => ({
  report,
  failures: failures ?? [],
  costUsd,
});

/** A page of the test runs of one suite run, in the order of its suite; `next`: where the following page begins. */
export type EndedTestRuns = ReturnType<typeof endedTestRunsOf>;
/** An ended test run with everything that a repeat needs. `work` is a `CaseWork`, `outcome` a `CaseOutcome`. */
export type EndedTestRun = EndedTestRuns['testRuns'][number];

export const endedTestRunsOf = ({
  agentHash,
  settingKey,
  testRuns: { edges, pageInfo },
}: NonNullable<SuiteRunTestRunsQuery['suiteRun']>) => ({
  agentHash,
  settingKey,
  testRuns: edges.map(({ node }) => node),
  next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
});
