// Printed from the *.graphql files beside this one and from schema.graphql: npm run generate.

/** An operation: its text, the hash by which a coordinator of the same version knows it, and the types of what it gives and takes. */
export interface TypedDocument<Answer, Variables> {
  name: string;
  /** SHA-256 of the text. Null: no coordinator knows it. */
  sha256: string | null;
  text: string;
  /** Only in the type. */
  readonly types?: { answer: Answer; variables: Variables };
}

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** A variable as text, converted by the type of each test. */
type AssignmentInput = {
  /** Name of the variable. */
  name: string;
  /** Its value as it was typed. */
  text: string;
};

/** A variable of the matrix: every value is run with every value of the other axes. */
type AxisInput = {
  /** Name of the variable. */
  name: string;
  /** Texts, numbers or booleans. */
  values: Array<unknown>;
};

/** What the run is compared with. */
type BaselineMode =
  /** The best base run there is. */
  | 'AUTO'
  /** There is nothing to compare with. */
  | 'NONE'
  /** The same, and where none counts, the merge base is executed beside the head. Needs the App. */
  | 'RUN';

/** A file of the repository that a case gives to the agent, by what is in it. */
type CaseFileInput = {
  /** From the root of the repository, with /. */
  path: string;
  /** SHA-256 of its content in small hexadecimal digits. */
  sha256: string;
};

/** When the pull request gets a comment. */
type CommentMode =
  /** Whatever came of it. */
  | 'ALWAYS'
  /** Wherever something changed, for better or worse. */
  | 'CHANGES'
  /** There is no comment. */
  | 'OFF'
  /** Only where something regressed. */
  | 'REGRESSIONS';

/** What one side of a comparison has that its suites do not say. */
type ComparedSideInput = {
  /** Which of the files is its agent; absent: the agent of each suite. */
  agentPath?: string | null | undefined;
  /** Variables of this side alone, as text. */
  assignments?: Array<AssignmentInput> | null | undefined;
  /** Name of a preset of this side alone. */
  preset?: string | null | undefined;
};

/** Two agents that are asked the same questions; each suite is run once for each of them. */
type ComparisonInput = {
  /** The suite runs of the variant BASELINE. */
  baseline?: ComparedSideInput | null | undefined;
  /** The suite runs of the variant CANDIDATE. */
  candidate?: ComparedSideInput | null | undefined;
};

/** How a check run of the forge ends, in its words. */
type Conclusion =
  /** A maintainer has to approve something first. */
  | 'ACTION_REQUIRED'
  /** Ended before it had a verdict. */
  | 'CANCELLED'
  /** The gate says no. */
  | 'FAILURE'
  /** Neither fine nor refused: somebody should look. */
  | 'NEUTRAL'
  /** Not affected by the change. */
  | 'SKIPPED'
  /** It is fine to merge. */
  | 'SUCCESS'
  /** The deadline came first. */
  | 'TIMED_OUT';

/** A token for a program. */
type CreateApiTokenInput = {
  /** Absent: it never expires. */
  expiresInDays?: number | null | undefined;
  /** Whom it acts for, a person or service of the tenant; absent: whoever makes it. */
  login?: string | null | undefined;
  /** What it is for, 1 to 255 characters. */
  name: string;
  /** Binds it to one repository. */
  repositoryId?: string | null | undefined;
  /** What it may do. */
  scopes: Array<Scope>;
};

/** When the first test runs leave. */
type Dispatch =
  /** As soon as the broker is back; the run is stored. */
  | 'DELAYED'
  /** They leave with this answer. */
  | 'IMMEDIATE';

/** The form of a file with results. */
type DownloadFormat =
  /** A table with a line for each test run, for spreadsheets. */
  | 'CSV'
  /** One page for people that needs no network; of at most 5000 test runs. */
  | 'HTML'
  /** A JSON object in a line for each test run, for programs. */
  | 'JSONL'
  /** JUnit XML, for tools that know test suites. */
  | 'JUNIT';

/** A definition file of the repository, as it is at the commit. */
type FileInput = {
  /** From the root of the repository, with /. */
  path: string;
  /** The whole text of the file. */
  text: string;
};

/** What errors do to the conclusion. */
type OnError =
  /** No verdict is neutral, and errors cap nothing. */
  | 'ALLOW'
  /** No verdict at all is a failure, any errored test run caps at neutral. */
  | 'BLOCK';

/** A test run to repeat. */
type RepeatTestRunInput = {
  /** The same key is the same repeat. 1 to 200 printable ASCII characters. */
  idempotencyKey: string;
  /** Kept with the new run. */
  notes?: string | null | undefined;
  /** The test run, which has ended. */
  testRunId: string;
  /** How much of it; absent: ALL. */
  what?: RepeatWhat | null | undefined;
};

/** How much of a test run is repeated. */
type RepeatWhat =
  /** Its agent answers again, and is judged. */
  | 'ALL'
  /** Its stored answer is judged again by the checks of then: no agent is asked. */
  | 'JUDGING';

/** Something wrong that the caller found in the definitions of the commit. */
type ReportedProblemInput = {
  /** From the root of the repository; empty when it stands in no file. */
  file: string;
  /** Number of the line, from 1. */
  line: number;
  /** What is wrong, and what to do. */
  message: string;
};

/** Who writes checks and comments. */
type Reporting =
  /** The coordinator, as the App that is installed on the repository. */
  | 'APP'
  /** Nobody here: the job writes what it was given. */
  | 'NONE';

/** A run to repeat. */
type RerunRunInput = {
  /** The same key is the same repeat. 1 to 200 printable ASCII characters. */
  idempotencyKey: string;
  /** Kept with the new run. */
  notes?: string | null | undefined;
  /** Which of its cases run again; absent: ALL. */
  only?: RerunWhat | null | undefined;
  /** The run that is repeated. */
  runId: string;
};

/** Which cases of a run are run again. */
type RerunWhat =
  /** All that the run was about. */
  | 'ALL'
  /** Those with a test run that ended in an error. */
  | 'ERRORED'
  /** Those with a test run that failed or ended in an error. */
  | 'FAILED';

/** Which runs; what is absent allows all. */
type RunFilter = {
  /** Those that ran an agent of this name. */
  agent?: string | null | undefined;
  /** Those whose agent used the AI configuration of this name. */
  aiConfiguration?: string | null | undefined;
  /** true: those of which the alert rule of a suite fired. */
  alertFired?: boolean | null | undefined;
  /** The branch whose push they are about, such as main. */
  branch?: string | null | undefined;
  /** Those that were accepted later than this. */
  createdAfter?: string | null | undefined;
  /** Those that were accepted earlier than this. */
  createdBefore?: string | null | undefined;
  /** The commit that was run, in all its 40 digits. */
  headSha?: string | null | undefined;
  /** Whether others are compared with them. */
  isBase?: boolean | null | undefined;
  /** Login of who started them, or of who wrote the change that they are about. */
  person?: string | null | undefined;
  /** Number of the pull request that they are about. */
  pullRequest?: number | null | undefined;
  /** Owner and name of their repository. */
  repository?: string | null | undefined;
  /** Those that stand there now. */
  status?: RunStatus | null | undefined;
  /** Those that ran a suite of this name. */
  suite?: string | null | undefined;
  /** Those that ran this suite. */
  suiteId?: string | null | undefined;
  /** Those that ran a case with this tag. */
  tag?: string | null | undefined;
  /** Those that were started so. */
  trigger?: RunTrigger | null | undefined;
  /** Those that had this value of a variable. */
  variable?: VariableFilter | null | undefined;
  /** What the gate said of them. */
  verdict?: VerdictWord | null | undefined;
};

/** How the gate and the feedback behave; what is absent has its default. */
type RunSettingsInput = {
  /** What the run is compared with; absent: AUTO. */
  baseline?: BaselineMode | null | undefined;
  /** How many tokens it may use; absent: what proofmark.yaml says. */
  budgetTokens?: number | null | undefined;
  /** What the run may cost; absent: what proofmark.yaml says. */
  budgetUsd?: number | null | undefined;
  /** Name of the aggregate check; default proofmark. */
  checkName?: string | null | undefined;
  /** When the comment is written; absent: CHANGES. */
  comment?: CommentMode | null | undefined;
  /** Another key is another comment; default pr. */
  commentKey?: string | null | undefined;
  /** Overrides the gate of the suites, 0 to 100. */
  minPassRate?: number | null | undefined;
  /** What test runs without a result do to the check; absent: BLOCK. */
  onError?: OnError | null | undefined;
  /** Whether results of equal content may be taken over; default true. */
  reuse?: boolean | null | undefined;
};

/** Where a run or a suite run stands. The last three are final. */
type RunStatus =
  /** Somebody or a newer commit ended it. */
  | 'CANCELLED'
  /** Every test run has a result. */
  | 'COMPLETED'
  /** It ended early, for example at its deadline; see the reason. */
  | 'FAILED'
  /** Accepted; no runner has taken anything of it yet. */
  | 'PENDING'
  /** At least one test run was taken by a runner. */
  | 'RUNNING';

/** What started a run. */
type RunTrigger =
  /** A program that called this API. */
  | 'API'
  /** A job of a CI system. */
  | 'CI'
  /** A person, with the command line or a button. */
  | 'MANUAL'
  /** The schedule of a suite. */
  | 'SCHEDULE';

/** What a token may do. */
type Scope =
  /** Everything, tokens and repositories included. */
  | 'ADMIN'
  /** Start runs that others are compared with. */
  | 'BASELINE_WRITE'
  /** Start runs of pull requests, whose checks and comment then say what they found. */
  | 'PULL_REQUESTS_WRITE'
  /** Ask requests that cost ten times as much as others may. No other scope stands for it. */
  | 'QUERIES_LARGE'
  /** Read runs and their results. */
  | 'RUNS_READ'
  /** Start and cancel runs. */
  | 'RUNS_WRITE';

/** Which cases to run; an empty list selects all. */
type SelectionInput = {
  /** Names of the cases to run. */
  cases?: Array<string> | null | undefined;
  /** Only cases of this difficulty: normal or hard. */
  difficulty?: string | null | undefined;
  /** Names of the suites to run. */
  suites?: Array<string> | null | undefined;
  /** Cases with any of these tags. */
  tags?: Array<string> | null | undefined;
  /** Names of suites that the change cannot affect: not run, and reported as such. */
  unaffected?: Array<string> | null | undefined;
};

/** One run: the files that define it, what is selected of them, and what started it. */
type StartRunInput = {
  /** Values as text, to be read by the type of their variable. */
  assignments?: Array<AssignmentInput> | null | undefined;
  /** The local files that cases name. What was not uploaded yet is asked for with MissingBlobs. */
  caseFiles?: Array<CaseFileInput> | null | undefined;
  /** Two agents side by side. It belongs to no commit of a repository. */
  comparison?: ComparisonInput | null | undefined;
  /** Every definition file that the suites need. */
  files: Array<FileInput>;
  /** The same key is the same run. 1 to 200 printable ASCII characters. */
  idempotencyKey: string;
  /** Why the definitions cannot be run. Then nothing is, files may be empty, and the check of the commit ends as a failure with these on their lines. */
  invalid?: Array<ReportedProblemInput> | null | undefined;
  /** Axes of the matrix. */
  matrix?: Array<AxisInput> | null | undefined;
  /** Kept with the run. */
  notes?: string | null | undefined;
  /** Name of a preset; single variables win over it. */
  preset?: string | null | undefined;
  /** Which of the files is proofmark.yaml. */
  projectPath?: string | null | undefined;
  /** Overrides the repetitions of the suites, 1 to 100. */
  repetitions?: number | null | undefined;
  /** Another run, whose stored answers are judged by these definitions: no agent is asked. At most 10,000 answers, and 32 MiB. It belongs to no commit of a repository. */
  rescores?: string | null | undefined;
  /** Which cases to run; absent: all. */
  selection?: SelectionInput | null | undefined;
  /** How the gate and the feedback behave. */
  settings?: RunSettingsInput | null | undefined;
  /** Which of the files are suites. */
  suitePaths: Array<string>;
  /** What the run was started by. */
  trigger: TriggerInput;
  /** Variables with typed values, name to value. */
  variables?: unknown;
};

/** A run of a suite or of a single test that is stored here. */
type StartStoredRunInput = {
  /** Values as text, to be read by the type of their variable. */
  assignments?: Array<AssignmentInput> | null | undefined;
  /** The same key is the same run. 1 to 200 printable ASCII characters. */
  idempotencyKey: string;
  /** Axes of the matrix. */
  matrix?: Array<AxisInput> | null | undefined;
  /** Kept with the run. */
  notes?: string | null | undefined;
  /** Name of a preset; single variables win over it. */
  preset?: string | null | undefined;
  /** Overrides the repetitions of the suite, 1 to 100. */
  repetitions?: number | null | undefined;
  /** Which cases of the suite; absent: all. */
  selection?: SelectionInput | null | undefined;
  /** How the gate behaves. */
  settings?: RunSettingsInput | null | undefined;
  /** The suite. Give this or testCaseId. */
  suiteId?: string | null | undefined;
  /** A single test. It runs without its suite: values and matrix of the suite do not count. */
  testCaseId?: string | null | undefined;
  /** Variables with typed values, name to value: 0.5 is a number. */
  variables?: unknown;
};

/** Why a suite run was made. */
type SuiteRunPurpose =
  /** It judges labelled answers, to see how far the judge agrees with people; no agent is asked. */
  | 'CALIBRATE'
  /** It settles a suspicion with fresh trials of all cases. */
  | 'CONFIRM'
  /** It brings more trials of a base that answers otherwise than in its history. */
  | 'DRIFT'
  /** The run asked for it. */
  | 'FIRST'
  /** It judges stored answers of the base again, because the judge has changed; no agent is asked. */
  | 'REJUDGE';

/** Where a test run stands. The last four are final. */
type TestRunStatus =
  /** There is no verdict about the agent; see the kind of error. */
  | 'ERROR'
  /** The agent answered, and a check failed. */
  | 'FAILED'
  /** Every check that counts passed. */
  | 'PASSED'
  /** Waits for a runner. */
  | 'QUEUED'
  /** A runner holds it. */
  | 'RUNNING'
  /** Not executed; see the reason. */
  | 'SKIPPED';

/** The order of a list of runs or suite runs. */
type TimeOrder =
  /** What ended last comes first; what is open is left out. */
  | 'LAST_ENDED'
  /** What was accepted last comes first. */
  | 'NEWEST'
  /** What was accepted first comes first. */
  | 'OLDEST';

/** What started the run. With a run token, what the issuer signed wins over what is given here. */
type TriggerInput = {
  /** Login of the author; display text only. */
  author?: string | null | undefined;
  /** The commit that the event compares it with. */
  baseSha?: string | null | undefined;
  /** The event of the forge, such as pull_request. */
  event?: string | null | undefined;
  /** The commit that is run. */
  headSha?: string | null | undefined;
  /** The forge, such as github.com. */
  host?: string | null | undefined;
  /** The head of the pull request stands in another repository: its results never become a base. */
  isFork?: boolean | null | undefined;
  /** Number of the pull request. */
  pullRequest?: number | null | undefined;
  /** The ref of the event. */
  ref?: string | null | undefined;
  /** Number of the repository on the forge. */
  repositoryExternalId?: string | null | undefined;
  /** Owner and name; display text only. */
  repositoryFullName?: string | null | undefined;
  /** Title of the pull request; display text only. Another one makes no other run. */
  title?: string | null | undefined;
  /** Who or what started it. */
  triggeredBy: RunTrigger;
  /** Which attempt of it this is. */
  workflowRunAttempt?: string | null | undefined;
  /** The run of the workflow. */
  workflowRunId?: string | null | undefined;
};

/** A value of a variable, as a run or its suite gave it or as a cell of the matrix has it. */
type VariableFilter = {
  /** Name of the variable, such as Temperature. */
  name: string;
  /** Its value: a text, a number, true or false. */
  value: unknown;
};

/** Which side of a comparison was run. */
type Variant =
  /** The reference side of a comparison within one run. */
  | 'BASELINE'
  /** The side that is judged in a comparison within one run. */
  | 'CANDIDATE'
  /** The only side: compared with earlier results. */
  | 'HEAD';

/** What the comparison with the baseline says. */
type VerdictWord =
  /** Nothing could be judged. */
  | 'ERROR'
  /** The agent got better, and the statistics support it. */
  | 'IMPROVED'
  /** The results allow no statement either way. */
  | 'INCONCLUSIVE'
  /** Too little was scored to compare, or a metric was measured in too few cases. */
  | 'INSUFFICIENT'
  /** There is nothing to compare with. */
  | 'NO_BASELINE'
  /** The agent got worse, and the statistics support it. */
  | 'REGRESSED'
  /** The agent may have got worse; it is not proven. */
  | 'SUSPECTED'
  /** No sign of a change. */
  | 'UNCHANGED';

export type ApiTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type ApiTokensQuery = { apiTokens: { edges: Array<{ node: { id: string, name: string, scopes: Array<Scope>, login: string, repository: string | null, createdAt: string, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null } }> } };

export type CreateApiTokenMutationVariables = Exact<{
  input: CreateApiTokenInput;
}>;


export type CreateApiTokenMutation = { createApiToken:
    | { token: string, apiToken: { id: string } }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
   };

export type RotateApiTokenMutationVariables = Exact<{
  id: string;
  graceHours?: number | null | undefined;
}>;


export type RotateApiTokenMutation = { rotateApiToken:
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
    | { token: string, apiToken: { id: string } }
   };

export type RevokeApiTokenMutationVariables = Exact<{
  id: string;
}>;


export type RevokeApiTokenMutation = { revokeApiToken:
    | { __typename: 'NotFound', code: string, message: string }
    | Record<PropertyKey, never>
   };

export type FindRunsQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
  orderBy?: TimeOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type FindRunsQuery = { runs: { edges: Array<{ node: { id: string, status: RunStatus, triggeredBy: RunTrigger, verdictWord: VerdictWord | null, repository: string | null, headSha: string | null, pullRequest: number | null, author: string | null, createdBy: string, createdAt: string, durationMs: number | null, costUsd: number | null, head: { totalCases: number, passedCases: number, failedCases: number, erroredCases: number, passRate: number | null } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RerunRunMutationVariables = Exact<{
  input: RerunRunInput;
}>;


export type RerunRunMutation = { rerunRun:
    | { __typename: 'IdempotencyConflict', runId: string, code: string, message: string }
    | { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'MissingBlobs', digests: Array<string>, code: string, message: string }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
    | { __typename: 'RateLimited', retryAfterMs: number, code: string, message: string }
    | { __typename: 'StartRunSuccess', created: boolean, dispatch: Dispatch, reporting: Reporting, run: { id: string }, warnings: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
   };

export type DownloadRunQueryVariables = Exact<{
  id: string;
  format: DownloadFormat;
}>;


export type DownloadRunQuery = { run: { download: { url: string, expiresAt: string } | null } | null };

export type RunProgressQueryVariables = Exact<{
  id: string;
}>;


export type RunProgressQuery = { run: { status: RunStatus, totalCases: number, openCases: number, totalSuiteRuns: number, finishedSuiteRuns: number, poolsWithoutRunners: Array<string> } | null };

export type LineRemarkFragment = { path: string, line: number, level: string, title: string, message: string };

export type RunReportQueryVariables = Exact<{
  id: string;
}>;


export type RunReportQuery = { run: { id: string, status: RunStatus, conclusion: Conclusion | null, verdictWord: VerdictWord | null, feedback: { outcome: string, headline: string, markdown: string, text: string, costUsd: number | null, suitesTotal: number, suitesAffected: number, annotations: Array<{ path: string, line: number, level: string, title: string, message: string }> }, suiteRuns: Array<{ id: string, suiteName: string, suitePath: string | null, cellKey: string, variant: Variant, purpose: SuiteRunPurpose, passedCases: number, failedCases: number, erroredCases: number, verdict: { detail: unknown } | null }> } | null };

export type RunResultQueryVariables = Exact<{
  id: string;
}>;


export type RunResultQuery = { run: { id: string, status: RunStatus, suiteRuns: Array<{ id: string, suiteName: string, suitePath: string | null, agentName: string, cellKey: string, variant: Variant, purpose: SuiteRunPurpose, status: RunStatus, failureReason: string | null, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, verdict: { detail: unknown } | null }> } | null };

export type RunFeedbackQueryVariables = Exact<{
  id: string;
}>;


export type RunFeedbackQuery = { run: { feedback: { checks: Array<{ name: string, externalId: string, onlyAfterRed: boolean, conclusion: Conclusion | null, title: string, summary: string, text: string, annotations: Array<{ path: string, line: number, level: string, title: string, message: string }> }>, wantedComment: { key: string, body: string, resolvedBody: string | null, createsComment: boolean, hides: boolean } | null } } | null };

export type CancelRunMutationVariables = Exact<{
  id: string;
}>;


export type CancelRunMutation = { cancelRun:
    | { changed: boolean }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
   };

type Refused_IdempotencyConflict_Fragment = { __typename: 'IdempotencyConflict', runId: string, code: string, message: string };

type Refused_InvalidDefinitions_Fragment = { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> };

type Refused_InvalidInput_Fragment = { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> };

type Refused_MissingBlobs_Fragment = { __typename: 'MissingBlobs', digests: Array<string>, code: string, message: string };

type Refused_NotAllowed_Fragment = { __typename: 'NotAllowed', code: string, message: string };

type Refused_NotConfirmable_Fragment = { __typename: 'NotConfirmable', code: string, message: string };

type Refused_NotFound_Fragment = { __typename: 'NotFound', code: string, message: string };

type Refused_RateLimited_Fragment = { __typename: 'RateLimited', retryAfterMs: number, code: string, message: string };

export type RefusedFragment =
  | Refused_IdempotencyConflict_Fragment
  | Refused_InvalidDefinitions_Fragment
  | Refused_InvalidInput_Fragment
  | Refused_MissingBlobs_Fragment
  | Refused_NotAllowed_Fragment
  | Refused_NotConfirmable_Fragment
  | Refused_NotFound_Fragment
  | Refused_RateLimited_Fragment
;

export type FileProblemFragment = { severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null };

export type StartedFragment = { __typename: 'StartRunSuccess', created: boolean, dispatch: Dispatch, reporting: Reporting, run: { id: string }, warnings: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> };

export type StartRunMutationVariables = Exact<{
  input: StartRunInput;
}>;


export type StartRunMutation = { startRun:
    | { __typename: 'IdempotencyConflict', runId: string, code: string, message: string }
    | { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'MissingBlobs', digests: Array<string>, code: string, message: string }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
    | { __typename: 'RateLimited', retryAfterMs: number, code: string, message: string }
    | { __typename: 'StartRunSuccess', created: boolean, dispatch: Dispatch, reporting: Reporting, run: { id: string }, warnings: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
   };

export type StartStoredRunMutationVariables = Exact<{
  input: StartStoredRunInput;
}>;


export type StartStoredRunMutation = { startStoredRun:
    | { __typename: 'IdempotencyConflict', runId: string, code: string, message: string }
    | { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'MissingBlobs', digests: Array<string>, code: string, message: string }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
    | { __typename: 'RateLimited', retryAfterMs: number, code: string, message: string }
    | { __typename: 'StartRunSuccess', created: boolean, dispatch: Dispatch, reporting: Reporting, run: { id: string }, warnings: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
   };

export type SuiteRunReportQueryVariables = Exact<{
  id: string;
}>;


export type SuiteRunReportQuery = { suiteRun: { report: unknown } | null };

export type SuiteRunResultQueryVariables = Exact<{
  id: string;
}>;


export type SuiteRunResultQuery = { suiteRun: { report: unknown, costUsd: number | null, failures: Array<{ result: number, testRunId: string, caseName: string, repetition: number, summary: string, reasons: Array<string> }> | null } | null };

export type SuiteRunTestRunsQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type SuiteRunTestRunsQuery = { suiteRun: { agentHash: string, settingKey: string, testRuns: { edges: Array<{ node: { caseName: string, caseHash: string, instrumentHash: string, sortOrder: number, repetition: number, skipReason: string | null, work: unknown, outcome: unknown } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null };

export type TestRunWorkQueryVariables = Exact<{
  id: string;
}>;


export type TestRunWorkQuery = { testRun: { id: string, caseName: string, repetition: number, status: TestRunStatus, skipReason: string | null, work: unknown, outcome: unknown } | null };

export type OnlyTestRunQueryVariables = Exact<{
  id: string;
}>;


export type OnlyTestRunQuery = { run: { suiteRuns: Array<{ testRuns: { edges: Array<{ node: { id: string } }> } }> } | null };

export type RepeatTestRunMutationVariables = Exact<{
  input: RepeatTestRunInput;
}>;


export type RepeatTestRunMutation = { repeatTestRun:
    | { __typename: 'IdempotencyConflict', runId: string, code: string, message: string }
    | { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'MissingBlobs', digests: Array<string>, code: string, message: string }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
    | { __typename: 'RateLimited', retryAfterMs: number, code: string, message: string }
    | { __typename: 'StartRunSuccess', created: boolean, dispatch: Dispatch, reporting: Reporting, run: { id: string }, warnings: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
   };

export type ExchangeTokenMutationVariables = Exact<{ [key: string]: never; }>;


export type ExchangeTokenMutation = { exchangeToken: { token: string, expiresAt: string, reporting: Reporting, maxBodyBytes: number } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { tenant: string, login: string, kind: string, scopes: Array<Scope> } };

export const ApiTokensDocument: TypedDocument<ApiTokensQuery, ApiTokensQueryVariables> = {
  name: 'ApiTokens',
  sha256: '20a5a97d64c6278f40594dedca378b2cf61c7d21f73447576efb5e7607f32013',
  text: "query ApiTokens{apiTokens(first:100){edges{node{id name scopes login repository createdAt expiresAt revokedAt lastUsedAt}}}}",
};

export const CreateApiTokenDocument: TypedDocument<CreateApiTokenMutation, CreateApiTokenMutationVariables> = {
  name: 'CreateApiToken',
  sha256: '981e8c8d75f56a6c4efc3db7255207af0405ca87e5873d575fd93ec828b0dd8c',
  text: "mutation CreateApiToken($input:CreateApiTokenInput!){createApiToken(input:$input){...Refused ...on CreateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const RotateApiTokenDocument: TypedDocument<RotateApiTokenMutation, RotateApiTokenMutationVariables> = {
  name: 'RotateApiToken',
  sha256: '9b8e2198f70aaaec9dac2dd0260b15ad312512043e2d7c2a68a8ead669c66e19',
  text: "mutation RotateApiToken($id:UUID!$graceHours:Int){rotateApiToken(id:$id graceHours:$graceHours){...Refused ...on RotateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const RevokeApiTokenDocument: TypedDocument<RevokeApiTokenMutation, RevokeApiTokenMutationVariables> = {
  name: 'RevokeApiToken',
  sha256: 'de546303fd22f6f0cb67bc8159f9811d7c8b63435e37f7930e690d028ceb58a2',
  text: "mutation RevokeApiToken($id:UUID!){revokeApiToken(id:$id){...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const FindRunsDocument: TypedDocument<FindRunsQuery, FindRunsQueryVariables> = {
  name: 'FindRuns',
  sha256: '8c89d3fbaa17e621f34b7206911e0353a0d6936b134e092023f58f9723aaa2e6',
  text: "query FindRuns($filter:RunFilter$orderBy:TimeOrder$first:Int$after:String){runs(filter:$filter orderBy:$orderBy first:$first after:$after){edges{node{id status triggeredBy verdictWord repository headSha pullRequest author createdBy createdAt durationMs costUsd head{totalCases passedCases failedCases erroredCases passRate}}}pageInfo{hasNextPage endCursor}}}",
};

export const RerunRunDocument: TypedDocument<RerunRunMutation, RerunRunMutationVariables> = {
  name: 'RerunRun',
  sha256: '065bcf3e486232c9b05569dd6b6909580b2e37f67b096cde532796b565effae0',
  text: "mutation RerunRun($input:RerunRunInput!){rerunRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
};

export const DownloadRunDocument: TypedDocument<DownloadRunQuery, DownloadRunQueryVariables> = {
  name: 'DownloadRun',
  sha256: '172501364d48d9e9386630d6f10c2fbcd934327baea0048874efa6f69cf0891a',
  text: "query DownloadRun($id:UUID!$format:DownloadFormat!){run(id:$id){download(format:$format){url expiresAt}}}",
};

export const RunProgressDocument: TypedDocument<RunProgressQuery, RunProgressQueryVariables> = {
  name: 'RunProgress',
  sha256: '7046ceb72118eeafec0d628ddf210e43d545a11a6ef3ba02a658a5a2b265b465',
  text: "query RunProgress($id:UUID!){run(id:$id){status totalCases openCases totalSuiteRuns finishedSuiteRuns poolsWithoutRunners}}",
};

export const RunReportDocument: TypedDocument<RunReportQuery, RunReportQueryVariables> = {
  name: 'RunReport',
  sha256: '4a2ccaab29fe8155871fe4249eb00558cae14e128c41b25b33e2cc1121a88a5b',
  text: "query RunReport($id:UUID!){run(id:$id){id status conclusion verdictWord feedback{outcome headline markdown text costUsd suitesTotal suitesAffected annotations{...LineRemark}}suiteRuns{id suiteName suitePath cellKey variant purpose passedCases failedCases erroredCases verdict{detail}}}}fragment LineRemark on Annotation{path line level title message}",
};

export const RunResultDocument: TypedDocument<RunResultQuery, RunResultQueryVariables> = {
  name: 'RunResult',
  sha256: '3cde7289a512db46f73a49c5a5299503efdd36c446ade4f3659bfc4be572ecfd',
  text: "query RunResult($id:UUID!){run(id:$id){id status suiteRuns{id suiteName suitePath agentName cellKey variant purpose status failureReason passedCases failedCases erroredCases skippedCases verdict{detail}}}}",
};

export const RunFeedbackDocument: TypedDocument<RunFeedbackQuery, RunFeedbackQueryVariables> = {
  name: 'RunFeedback',
  sha256: '2b669c1dddd7d8a8cba75d3b8b322a39dc0ae0ceafc78723b02b523537c6468a',
  text: "query RunFeedback($id:UUID!){run(id:$id){feedback{checks{name externalId onlyAfterRed conclusion title summary text annotations{...LineRemark}}wantedComment{key body resolvedBody createsComment hides}}}}fragment LineRemark on Annotation{path line level title message}",
};

export const CancelRunDocument: TypedDocument<CancelRunMutation, CancelRunMutationVariables> = {
  name: 'CancelRun',
  sha256: '379148419088179a008df9801898c3654ddbd174aafc78ac4de1b862a3f3a8f0',
  text: "mutation CancelRun($id:UUID!){cancelRun(id:$id){...Refused ...on CancelRunSuccess{changed}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const StartRunDocument: TypedDocument<StartRunMutation, StartRunMutationVariables> = {
  name: 'StartRun',
  sha256: 'd52330c5be2df6d14e0e7bab295f4a1ec6b2817a08da6c987a8577023c74469d',
  text: "mutation StartRun($input:StartRunInput!){startRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
};

export const StartStoredRunDocument: TypedDocument<StartStoredRunMutation, StartStoredRunMutationVariables> = {
  name: 'StartStoredRun',
  sha256: '2df192b0c547c301e9f2119b5cf6b0f25352319050ae71eab0ba26715355b679',
  text: "mutation StartStoredRun($input:StartStoredRunInput!){startStoredRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
};

export const SuiteRunReportDocument: TypedDocument<SuiteRunReportQuery, SuiteRunReportQueryVariables> = {
  name: 'SuiteRunReport',
  sha256: 'f92d9d357ae3ea6c7b93c9e7fa1013c34dac57adf5c8a544d4adc747ac3295be',
  text: "query SuiteRunReport($id:UUID!){suiteRun(id:$id){report}}",
};

export const SuiteRunResultDocument: TypedDocument<SuiteRunResultQuery, SuiteRunResultQueryVariables> = {
  name: 'SuiteRunResult',
  sha256: 'ea1504a2f0f5b02c0aebb929c4745a1797621faf377ccfd9274f94469b65c22f',
  text: "query SuiteRunResult($id:UUID!){suiteRun(id:$id){report costUsd failures{result testRunId caseName repetition summary reasons}}}",
};

export const SuiteRunTestRunsDocument: TypedDocument<SuiteRunTestRunsQuery, SuiteRunTestRunsQueryVariables> = {
  name: 'SuiteRunTestRuns',
  sha256: 'd3cc2164cbf8ecd508133ec7103bdcd386cf2c3c57b1e2b674f52c975616d5f2',
  text: "query SuiteRunTestRuns($id:UUID!$after:String){suiteRun(id:$id){agentHash settingKey testRuns(first:50 after:$after){edges{node{caseName caseHash instrumentHash sortOrder repetition skipReason work outcome}}pageInfo{endCursor hasNextPage}}}}",
};

export const TestRunWorkDocument: TypedDocument<TestRunWorkQuery, TestRunWorkQueryVariables> = {
  name: 'TestRunWork',
  sha256: 'db32fe7e500307d1a58c10816daf1936067bcbfcf67983d1cbcc5962c2ba0c38',
  text: "query TestRunWork($id:UUID!){testRun(id:$id){id caseName repetition status skipReason work outcome}}",
};

export const OnlyTestRunDocument: TypedDocument<OnlyTestRunQuery, OnlyTestRunQueryVariables> = {
  name: 'OnlyTestRun',
  sha256: 'a5b1577cf918251a8cb1811ae3482d1568d43fee547dd3abd83a0214cc249ea3',
  text: "query OnlyTestRun($id:UUID!){run(id:$id){suiteRuns{testRuns(first:1){edges{node{id}}}}}}",
};

export const RepeatTestRunDocument: TypedDocument<RepeatTestRunMutation, RepeatTestRunMutationVariables> = {
  name: 'RepeatTestRun',
  sha256: '96a71e7d2f0b1fda85a10a3cefacee55e4b946b7d3c0da19827d3a9ebe8c2f52',
  text: "mutation RepeatTestRun($input:RepeatTestRunInput!){repeatTestRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
};

export const ExchangeTokenDocument: TypedDocument<ExchangeTokenMutation, ExchangeTokenMutationVariables> = {
  name: 'ExchangeToken',
  sha256: 'fec9db91c13e7f4dab2b050e84ad0902bf5c27591a3756b262bb6ab687954c76',
  text: "mutation ExchangeToken{exchangeToken{token expiresAt reporting maxBodyBytes}}",
};

export const ViewerDocument: TypedDocument<ViewerQuery, ViewerQueryVariables> = {
  name: 'Viewer',
  sha256: 'deac3add1fe9c6d36d75182a52c33a67c16c48c5b0eb0447681a79283f90ac89',
  text: "query Viewer{viewer{tenant login kind scopes}}",
};
