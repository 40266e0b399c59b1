import type { StartRequest } from '@proofmark/contracts/start-run-input';
import {
  apiTokensOperation,
  createApiTokenOperation,
  type ListedToken,
  type MadeToken,
  type NewToken,
  type Revoked,
  type RotateToken,
  revokeApiTokenOperation,
  rotateApiTokenOperation,
} from './operations/api-tokens.ts';
import {
  type Download,
  downloadOperation,
  type FindRuns,
  type FoundRuns,
  findRunsOperation,
  type RerunRequest,
  rerunRunOperation,
} from './operations/find-runs.ts';
import type { Operation } from './operations/operation.ts';
import {
  type AnsweredFeedback,
  type AnsweredReport,
  type Cancellation,
  cancelRunOperation,
  type RunProgress,
  type RunResult,
  runFeedbackOperation,
  runProgressOperation,
  runReportOperation,
  runResultOperation,
} from './operations/run.ts';
import {
  type StartedRun,
  type StartStoredRequest,
  startRunOperation,
  startStoredRunOperation,
} from './operations/start-run.ts';
import {
  type EndedTestRuns,
  type SuiteRunResult,
  suiteRunReportOperation,
  suiteRunResultOperation,
  suiteRunTestRunsOperation,
} from './operations/suite-run.ts';
import {
  onlyTestRunOperation,
  type RepeatTestRunInput,
  repeatTestRunOperation,
  type TestRunWork,
  testRunWorkOperation,
} from './operations/test-run.ts';
import { exchangeTokenOperation, type JobToken, type Viewer, viewerOperation } from './operations/token.ts';
import { type RetryTimes, retryTransient } from './retry-transient.ts';
import { type CoordinatorEndpoint, type Sent, sendOperation, type Upload, uploadBlob } from './send-operation.ts';

export type {
  AnsweredFeedback,
  AnsweredReport,
  Cancellation,
  CoordinatorEndpoint,
  EndedTestRuns,
  JobToken,
  RepeatTestRunInput,
  RetryTimes,
  RunProgress,
  RunResult,
  Sent,
  StartedRun,
  StartRequest,
  StartStoredRequest,
  SuiteRunResult,
  TestRunWork,
  Viewer,
};

/** What the Action and the command line ask of a coordinator. Failures are values; nothing here throws for them. */
export interface CoordinatorClient {
  startRun: (input: StartRequest) => Promise<Sent<StartedRun>>;
  startStoredRun: (input: StartStoredRequest) => Promise<Sent<StartedRun>>;
  /** Keeps a file of a case for the runs that name it. */
  uploadBlob: (upload: Upload) => Promise<Sent<{ created: boolean }>>;
  cancelRun: (id: string) => Promise<Sent<Cancellation>>;
  runProgress: (id: string) => Promise<Sent<RunProgress | null>>;
  runReport: (id: string) => Promise<Sent<AnsweredReport | null>>;
  runResult: (id: string) => Promise<Sent<RunResult | null>>;
  runFeedback: (id: string) => Promise<Sent<AnsweredFeedback | null>>;
  suiteRunReport: (id: string) => Promise<Sent<unknown>>;
  suiteRunResult: (id: string) => Promise<Sent<SuiteRunResult | null>>;
  /** `after`: null for the first page. */
  suiteRunTestRuns: (id: string, after: string | null) => Promise<Sent<EndedTestRuns | null>>;
  testRunWork: (id: string) => Promise<Sent<TestRunWork | null>>;
  repeatTestRun: (input: RepeatTestRunInput) => Promise<Sent<StartedRun>>;
  onlyTestRun: (runId: string) => Promise<Sent<string | null>>;
  /** A page of runs by what they are about. */
  findRuns: (find: FindRuns) => Promise<Sent<FoundRuns>>;
  /** A whole run again, or only what did not pass. */
  rerunRun: (input: RerunRequest) => Promise<Sent<StartedRun>>;
  /** A link to the results as a file. */
  download: (download: Download) => Promise<Sent<{ url: string; expiresAt: string } | null>>;
  apiTokens: () => Promise<Sent<ListedToken[]>>;
  createApiToken: (input: NewToken) => Promise<Sent<MadeToken>>;
  rotateApiToken: (rotate: RotateToken) => Promise<Sent<MadeToken>>;
  revokeApiToken: (id: string) => Promise<Sent<Revoked>>;
  /** A request of your own, with the same care; `operation` makes it of a text and the shape of its answer. */
  ask: <Variables, Answer>(question: Operation<Variables, Answer>, variables: Variables) => Promise<Sent<Answer>>;
  exchangeToken: () => Promise<Sent<JobToken>>;
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
  const send = <Variables, Answer>(operation: Operation<Variables, Answer>, variables: Variables) =>
    retryTransient(retry, () => sendOperation(endpoint, operation, variables));
  return {
    startRun: (input) => send(startRunOperation, { input }),
    startStoredRun: (input) => send(startStoredRunOperation, { input }),
    uploadBlob: (upload) => retryTransient(retry, () => uploadBlob(endpoint, upload)),
    cancelRun: (id) => send(cancelRunOperation, { id }),
    runProgress: (id) => send(runProgressOperation, { id }),
    runReport: (id) => send(runReportOperation, { id }),
    runResult: (id) => send(runResultOperation, { id }),
    runFeedback: (id) => send(runFeedbackOperation, { id }),
    suiteRunReport: (id) => send(suiteRunReportOperation, { id }),
    suiteRunResult: (id) => send(suiteRunResultOperation, { id }),
    suiteRunTestRuns: (id, after) => send(suiteRunTestRunsOperation, { id, after }),
    testRunWork: (id) => send(testRunWorkOperation, { id }),
    repeatTestRun: (input) => send(repeatTestRunOperation, { input }),
    onlyTestRun: (id) => send(onlyTestRunOperation, { id }),
    findRuns: (find) => send(findRunsOperation, find),
    rerunRun: (input) => send(rerunRunOperation, { input }),
    download: (download) => send(downloadOperation, download),
    apiTokens: () => send(apiTokensOperation, {}),
    createApiToken: (input) => send(createApiTokenOperation, { input }),
    rotateApiToken: (rotate) => send(rotateApiTokenOperation, rotate),
    revokeApiToken: (id) => send(revokeApiTokenOperation, { id }),
    ask: send,
    exchangeToken: () => send(exchangeTokenOperation, {}),
    viewer: () => send(viewerOperation, {}),
  };
}

/** Tokens travel encrypted, or do not leave the machine. */
export function isSecureUrl(text: string | null): boolean {
  if (text === null) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}
