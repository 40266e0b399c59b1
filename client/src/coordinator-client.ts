import type { StartRequest } from '@proofmark/contracts/start-run-input';
import { TestRunState } from '@proofmark/contracts/words';
import {
  ApiTokensDocument,
  type ApiTokensQuery,
  CancelRunDocument,
  CreateApiTokenDocument,
  type CreateApiTokenMutationVariables,
  DownloadRunDocument,
  type DownloadRunQuery,
  type DownloadRunQueryVariables,
  ExchangeTokenDocument,
  FindRunsDocument,
  type FindRunsQueryVariables,
  OnlyTestRunDocument,
  RepeatTestRunDocument,
  type RepeatTestRunMutationVariables,
  RerunRunDocument,
  type RerunRunMutationVariables,
  RevokeApiTokenDocument,
  RotateApiTokenDocument,
  type RotateApiTokenMutationVariables,
  RunFeedbackDocument,
  RunProgressDocument,
  RunReportDocument,
  RunResultDocument,
  StartRunDocument,
  StartStoredRunDocument,
  type StartStoredRunMutationVariables,
  SuiteRunReportDocument,
  SuiteRunResultDocument,
  SuiteRunTestRunsDocument,
  TestRunWorkDocument,
  type TestRunWorkQuery,
  type TypedDocument,
  ViewerDocument,
  type ViewerQuery,
} from './operations/documents.ts';
import { type JobToken, jobTokenOf } from './operations/job-token.ts';
import {
  type Cancellation,
  cancellationOf,
  type MadeToken,
  madeTokenOf,
  type Revoked,
  revokedOf,
  type StartedRun,
  startedOf,
} from './operations/refusal.ts';
import {
  type AnsweredFeedback,
  type AnsweredReport,
  type FoundRuns,
  feedbackOf,
  foundRunsOf,
  progressOf,
  type RunProgress,
  type RunResult,
  reportOf,
  resultOf,
} from './operations/run.ts';
import { type EndedTestRuns, endedTestRunsOf, type SuiteRunResult, suiteRunResultOf } from './operations/suite-run.ts';
import { wordOf } from './operations/words.ts';
import { type RetryTimes, retryTransient } from './retry-transient.ts';
import { type CoordinatorEndpoint, type Sent, sendOperation, type Upload, uploadBlob } from './send-operation.ts';

export type {
  AnsweredFeedback,
  AnsweredReport,
  Cancellation,
  CoordinatorEndpoint,
  EndedTestRuns,
  JobToken,
  RetryTimes,
  RunProgress,
  RunResult,
  Sent,
  StartedRun,
  StartRequest,
  SuiteRunResult,
  TypedDocument,
};

type ListedToken = ApiTokensQuery['apiTokens']['edges'][number]['node'];
type Viewer = ViewerQuery['viewer'];
type Download = NonNullable<NonNullable<DownloadRunQuery['run']>['download']>;
type TestRunWork = ReturnType<typeof workOf>;

/** What the Action, the command line and tools of others ask of a coordinator. Failures are values; nothing here throws for them. */
export interface CoordinatorClient {
  startRun: (input: StartRequest) => Promise<Sent<StartedRun>>;
  startStoredRun: (input: StartStoredRunMutationVariables['input']) => Promise<Sent<StartedRun>>;
  /** Keeps a file of a case for the runs that name it. */
  uploadBlob: (upload: Upload) => Promise<Sent<{ created: boolean }>>;
  cancelRun: (id: string) => Promise<Sent<Cancellation>>;
  /** Of this and what follows: null where there is none with this id for this token. */
  runProgress: (id: string) => Promise<Sent<RunProgress | null>>;
  runReport: (id: string) => Promise<Sent<AnsweredReport | null>>;
  runResult: (id: string) => Promise<Sent<RunResult | null>>;
  runFeedback: (id: string) => Promise<Sent<AnsweredFeedback | null>>;
  /** The whole test report as JSON; null also while the suite run is open, and when it has none. */
  suiteRunReport: (id: string) => Promise<Sent<unknown>>;
  suiteRunResult: (id: string) => Promise<Sent<SuiteRunResult | null>>;
  /** `after`: null for the first page. */
  suiteRunTestRuns: (id: string, after: string | null) => Promise<Sent<EndedTestRuns | null>>;
  /** What a test run was given and what came of it. `work` is a `CaseWork`, `outcome` a `CaseOutcome`. */
  testRunWork: (id: string) => Promise<Sent<TestRunWork | null>>;
  /** With the same key it is the same repeat, whatever the number of tries. */
  repeatTestRun: (input: RepeatTestRunMutationVariables['input']) => Promise<Sent<StartedRun>>;
  /** The id of the first test run of a run; null also when it has none. */
  onlyTestRun: (runId: string) => Promise<Sent<string | null>>;
  /** A page of runs by what they are about. */
  findRuns: (find: FindRunsQueryVariables) => Promise<Sent<FoundRuns>>;
  /** A whole run again, or only what did not pass. */
  rerunRun: (input: RerunRunMutationVariables['input']) => Promise<Sent<StartedRun>>;
  /** A link to the results as a file, for a quarter of an hour; null also while nothing of the run has ended. */
  download: (download: DownloadRunQueryVariables) => Promise<Sent<Download | null>>;
  /** The newest hundred tokens of programs, ended ones included. */
  apiTokens: () => Promise<Sent<ListedToken[]>>;
  createApiToken: (input: CreateApiTokenMutationVariables['input']) => Promise<Sent<MadeToken>>;
  /** The old token goes on for `graceHours`; 24 unless set. */
  rotateApiToken: (rotate: RotateApiTokenMutationVariables) => Promise<Sent<MadeToken>>;
  revokeApiToken: (id: string) => Promise<Sent<Revoked>>;
  /** Any other operation, with the same care: one of `documents`, or a text of your own whose `sha256` is null. */
  ask: <Answer, Variables>(document: TypedDocument<Answer, Variables>, variables: Variables) => Promise<Sent<Answer>>;
  exchangeToken: () => Promise<Sent<JobToken>>;
  /** Whom the token stands for. */
  viewer: () => Promise<Sent<Viewer>>;
}

export interface ClientOptions extends CoordinatorEndpoint {
  /** Applies to every operation; each try asks `bearer` again. Absent: a coordinator that does not answer is asked for a minute. */
  retry?: RetryTimes;
}

const aMinute: RetryTimes = {
  forMs: 60_000,
  now: Date.now,
  random: Math.random,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export function coordinatorClient({ retry = aMinute, ...endpoint }: ClientOptions): CoordinatorClient {
  const send = <Data, Variables, Answer>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    read: (data: Data) => Answer,
  ) => retryTransient(retry, () => sendOperation(endpoint, { document, variables, read }));
  return {
    startRun: (input) => send(StartRunDocument, { input }, ({ startRun }) => startedOf(startRun)),
    startStoredRun: (input) =>
      send(StartStoredRunDocument, { input }, ({ startStoredRun }) => startedOf(startStoredRun)),
    uploadBlob: (upload) => retryTransient(retry, () => uploadBlob(endpoint, upload)),
    cancelRun: (id) => send(CancelRunDocument, { id }, ({ cancelRun }) => cancellationOf(cancelRun)),
    runProgress: (id) => send(RunProgressDocument, { id }, ({ run }) => run && progressOf(run)),
    runReport: (id) => send(RunReportDocument, { id }, ({ run }) => run && reportOf(run)),
    runResult: (id) => send(RunResultDocument, { id }, ({ run }) => run && resultOf(run)),
    runFeedback: (id) => send(RunFeedbackDocument, { id }, ({ run }) => run && feedbackOf(run)),
    suiteRunReport: (id) => send(SuiteRunReportDocument, { id }, ({ suiteRun }) => suiteRun?.report ?? null),
    suiteRunResult: (id) =>
      send(SuiteRunResultDocument, { id }, ({ suiteRun }) => suiteRun && suiteRunResultOf(suiteRun)),
    suiteRunTestRuns: (id, after) =>
      send(SuiteRunTestRunsDocument, { id, after }, ({ suiteRun }) => suiteRun && endedTestRunsOf(suiteRun)),
    testRunWork: (id) => send(TestRunWorkDocument, { id }, ({ testRun }) => testRun && workOf(testRun)),
    repeatTestRun: (input) => send(RepeatTestRunDocument, { input }, ({ repeatTestRun }) => startedOf(repeatTestRun)),
    onlyTestRun: (id) =>
      send(OnlyTestRunDocument, { id }, ({ run }) => run?.suiteRuns[0]?.testRuns.edges[0]?.node.id ?? null),
    findRuns: (find) => send(FindRunsDocument, find, foundRunsOf),
    rerunRun: (input) => send(RerunRunDocument, { input }, ({ rerunRun }) => startedOf(rerunRun)),
    download: (download) => send(DownloadRunDocument, download, ({ run }) => run?.download ?? null),
    apiTokens: () =>
      send(ApiTokensDocument, { first: 100 }, ({ apiTokens }) => apiTokens.edges.map(({ node }) => node)),
    createApiToken: (input) =>
      send(CreateApiTokenDocument, { input }, ({ createApiToken }) => madeTokenOf(createApiToken)),
    rotateApiToken: (rotate) =>
      send(RotateApiTokenDocument, rotate, ({ rotateApiToken }) => madeTokenOf(rotateApiToken)),
    revokeApiToken: (id) => send(RevokeApiTokenDocument, { id }, ({ revokeApiToken }) => revokedOf(revokeApiToken)),
    ask: (document, variables) => send(document, variables, (data) => data),
    exchangeToken: () => send(ExchangeTokenDocument, {}, jobTokenOf),
    viewer: () => send(ViewerDocument, {}, ({ viewer }) => viewer),
  };
}

const workOf = ({ status, ...testRun }: NonNullable<TestRunWorkQuery['testRun']>) => ({
  ...testRun,
  status: wordOf(TestRunState.options, status),
});

/** Tokens travel encrypted, or do not leave the machine. */
export function isSecureUrl(text: string | null): boolean {
  if (text === null) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}
