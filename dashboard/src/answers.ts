import {
  array,
  boolean,
  type infer as Infer,
  int,
  json,
  looseObject,
  nullable,
  number,
  object,
  string,
} from 'zod/mini';

const text = nullable(string());

export const RunSummary = object({
  id: string(),
  status: string(),
  event: text,
  repository: text,
  host: text,
  headSha: text,
  baseSha: text,
  pullRequest: nullable(int()),
  ref: text,
  createdAt: string(),
  completedAt: text,
  createdBy: string(),
  triggeredBy: string(),
  verdictWord: text,
  conclusion: text,
  totalCases: int(),
  openCases: int(),
  passedCases: int(),
  failedCases: int(),
  erroredCases: int(),
  skippedCases: int(),
});
export type RunSummary = Infer<typeof RunSummary>;

export const RunList = object({
  viewer: object({ login: string(), tenant: string() }),
  runs: object({
    edges: array(object({ node: RunSummary })),
    pageInfo: object({ hasNextPage: boolean(), endCursor: text }),
  }),
});

const Verdict = object({
  word: string(),
  title: string(),
  paragraph: string(),
  lines: array(string()),
  newlyFailing: array(string()),
  flagged: array(string()),
  baselineLabel: text,
});

export const SuiteRunAnswer = object({
  id: string(),
  suiteName: string(),
  suitePath: text,
  cellKey: string(),
  variant: string(),
  purpose: string(),
  status: string(),
  failureReason: text,
  totalCases: int(),
  openCases: int(),
  passedCases: int(),
  failedCases: int(),
  erroredCases: int(),
  skippedCases: int(),
  passRate: nullable(number()),
  verdict: nullable(Verdict),
});
export type SuiteRunAnswer = Infer<typeof SuiteRunAnswer>;

export const WholeRun = object({
  ...RunSummary.shape,
  poolsWithoutRunners: array(string()),
  suiteRuns: array(SuiteRunAnswer),
});
export type WholeRun = Infer<typeof WholeRun>;

export const RunAnswer = object({ run: nullable(WholeRun) });

export const TestRun = object({
  id: string(),
  caseName: string(),
  repetition: int(),
  status: string(),
});
export type TestRun = Infer<typeof TestRun>;

export const TestRunPage = object({
  suiteRun: nullable(
    object({
      testRuns: object({
        edges: array(object({ node: TestRun })),
        pageInfo: object({ hasNextPage: boolean(), endCursor: text }),
      }),
    }),
  ),
});

const Failure = object({ caseName: string(), repetition: int(), summary: string(), reasons: array(string()) });
export type Failure = Infer<typeof Failure>;

/** Null while the suite run is open. */
export const Failures = object({ suiteRun: nullable(object({ failures: nullable(array(Failure)) })) });

export const TestRunAnswer = object({
  testRun: nullable(
    object({
      status: string(),
      errorKind: text,
      errorMessage: text,
      skipReason: text,
      testInput: text,
      response: text,
      attempt: int(),
      executionTimeMs: nullable(int()),
      model: text,
      checks: array(object({ type: string(), status: string() })),
      toolsMatched: nullable(boolean()),
      toolCalls: array(object({ name: string(), args: json(), result: json(), error: text })),
      metricResults: array(
        object({
          metricName: string(),
          score: nullable(number()),
          threshold: nullable(number()),
          passed: boolean(),
          error: text,
          reasoning: text,
        }),
      ),
      outcomes: nullable(
        object({
          passed: nullable(boolean()),
          error: text,
          criteria: array(looseObject({ requirement: string(), status: string(), reasoning: string() })),
        }),
      ),
      transcript: array(object({ role: string(), text: string() })),
    }),
  ),
});
export type TestRunDetail = NonNullable<Infer<typeof TestRunAnswer>['testRun']>;

export const Progress = object({
  runProgress: object({ status: string(), totalCases: int(), openCases: int(), finishedSuiteRuns: int() }),
});
export type Progress = Infer<typeof Progress>['runProgress'];
