import type { Sent } from './client-error.ts';
import type { Operation } from './operation.ts';
import { type CancelledRun, cancelRunOperation } from './operations/cancel-run.ts';
import { exchangeTokenOperation, type RunToken } from './operations/exchange-token.ts';
import { onlyTestRunOperation } from './operations/only-test-run.ts';
import { type RepeatTestRunInput, repeatTestRunOperation } from './operations/repeat-test-run.ts';
import { type RunFeedback, runFeedbackOperation } from './operations/run-feedback.ts';
import { type RunProgress, runProgressOperation } from './operations/run-progress.ts';
import { type RunReport, runReportOperation } from './operations/run-report.ts';
import { type RunResult, runResultOperation } from './operations/run-result.ts';
import { type StartedRun, type StartRunInput, startRunOperation } from './operations/start-run.ts';
import { suiteRunReportOperation } from './operations/suite-run-report.ts';
import { type SuiteRunResult, suiteRunResultOperation } from './operations/suite-run-result.ts';
import { suiteRunTestRunsOperation, type TestRunPage } from './operations/suite-run-test-runs.ts';
import { type TestRunWork, testRunWorkOperation } from './operations/test-run-work.ts';
import { type Viewer, viewerOperation } from './operations/viewer.ts';
import { type RetryPolicy, retryTransient } from './retry-transient.ts';
import { type Endpoint, sendOperation } from './send-operation.ts';
import { type Upload, uploadBlob } from './upload-blob.ts';

/** What the Action and the command line ask of a coordinator. Failures are values; nothing here throws for them. */
export interface CoordinatorClient {
  startRun: (input: StartRunInput) => Promise<Sent<StartedRun>>;
  /** Keeps a file of a case for the runs that name it. */
  uploadBlob: (upload: Upload) => Promise<Sent<{ created: boolean }>>;
  cancelRun: (id: string) => Promise<Sent<CancelledRun>>;
  runProgress: (id: string) => Promise<Sent<RunProgress | null>>;
  runReport: (id: string) => Promise<Sent<RunReport | null>>;
  runResult: (id: string) => Promise<Sent<RunResult | null>>;
  runFeedback: (id: string) => Promise<Sent<RunFeedback | null>>;
  suiteRunReport: (id: string) => Promise<Sent<unknown>>;
  suiteRunResult: (id: string) => Promise<Sent<SuiteRunResult | null>>;
  /** `after`: null for the first page. */
  suiteRunTestRuns: (id: string, after: string | null) => Promise<Sent<TestRunPage | null>>;
  testRunWork: (id: string) => Promise<Sent<TestRunWork | null>>;
  repeatTestRun: (input: RepeatTestRunInput) => Promise<Sent<StartedRun>>;
  onlyTestRun: (runId: string) => Promise<Sent<string | null>>;
  exchangeToken: () => Promise<Sent<RunToken>>;
  viewer: () => Promise<Sent<Viewer>>;
}

export interface ClientOptions extends Endpoint {
  /** Applies to every operation; each try asks `bearer` again. */
  retry: RetryPolicy;
}

export function coordinatorClient({ retry, ...endpoint }: ClientOptions): CoordinatorClient {
  const send = <Variables, Answer>(operation: Operation<Variables, Answer>, variables: Variables) =>
    retryTransient(retry, () => sendOperation(endpoint, operation, variables));
  return {
    startRun: (input) => send(startRunOperation, { input }),
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
    exchangeToken: () => send(exchangeTokenOperation, {}),
    viewer: () => send(viewerOperation, {}),
  };
}
