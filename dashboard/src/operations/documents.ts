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
/** A way by which people are told of alerts. */
export type AlertChannelKind =
  /** A mail, by the mail server of the operator. */
  | 'EMAIL'
  /** An issue in a repository, opened by the Proofmark App; when it is over, it is closed. */
  | 'GITHUB_ISSUE'
  /** A message to an incoming webhook of Slack, or of whoever reads the same form. */
  | 'SLACK'
  /** A signed request to an address, with all that is known as JSON. */
  | 'WEBHOOK';

/** What came of telling a channel. */
type AlertDeliveryState =
  /** The receiver took it. */
  | 'DONE'
  /** It is to be sent, or sent again. */
  | 'DUE'
  /** It was given up; see the reason. */
  | 'PARKED';

/** What people are told of without looking. */
export type AlertKind =
  /** A run of a schedule or of the base branch has spent its money or its tokens. */
  | 'BUDGET'
  /** Cases of the base branch pass and fail by themselves, and did not before. */
  | 'NEWLY_FLAKY'
  /** Nothing was executed where something should have been: no runner, a dead model, a refused start. */
  | 'NOTHING_EXECUTED'
  /** What was told earlier is over. */
  | 'RECOVERED'
  /** A run of a schedule or of the base branch is worse than its alert rule allows. */
  | 'REGRESSION'
  /** Somebody tries a channel. */
  | 'TEST';

/** Which changes; what is absent allows all. */
type AuditFilter = {
  /** Those of this action, such as deleted. */
  action?: string | null | undefined;
  /** Those after this moment. */
  after?: string | null | undefined;
  /** Those before this moment. */
  before?: string | null | undefined;
  /** Those of this person or service. */
  login?: string | null | undefined;
  /** Those of this kind of thing, such as token. */
  subject?: string | null | undefined;
};

/** What became of a case against the other side. */
type CaseChange =
  /** It passed more often; that may be chance. */
  | 'BETTER'
  /** It is one of those that the gate holds against the head. */
  | 'BROKE'
  /** The head has no such case. */
  | 'ONLY_BASE'
  /** The base has no such case. */
  | 'ONLY_HEAD'
  /** It passed as often. */
  | 'SAME'
  /** It passed less often; that may be chance. */
  | 'WORSE';

/** What the repetitions of a case come to, by the reducer of its suite. */
type CaseResult =
  /** Nothing of it could be judged. */
  | 'ERROR'
  /** The case did not pass. */
  | 'FAILED'
  /** The case passed as a whole. */
  | 'PASSED'
  /** Nothing of it was executed. */
  | 'SKIPPED';

/** Where a case is in its life. Only active cases run. */
type CaseStatus =
  /** It runs with its suite. */
  | 'ACTIVE'
  /** Kept, and run no more. */
  | 'ARCHIVED'
  /** It is being written and does not run. */
  | 'DRAFT';

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

/** A way by which people are told of alerts. */
type CreateAlertChannelInput = {
  /** What it tells of; absent: everything. */
  events?: Array<AlertKind> | null | undefined;
  /** false: it tells nothing. */
  isEnabled?: boolean | null | undefined;
  /** By which way it tells. */
  kind: AlertChannelKind;
  /** What people call it, once in the tenant. */
  name: string;
  /** When quiet hours begin, HH:MM. */
  quietFrom?: string | null | undefined;
  /** When they end, HH:MM. What comes between is sent then. */
  quietUntil?: string | null | undefined;
  /** Addresses of mails, 20 at most. */
  recipients?: Array<string> | null | undefined;
  /** Where issues are opened. */
  repositoryId?: string | null | undefined;
  /** The only suite that it tells of; absent: all of the tenant. */
  suiteId?: string | null | undefined;
  /** Of the quiet hours, such as Europe/Berlin; absent: UTC. */
  timeZone?: string | null | undefined;
  /** Where webhooks go: https, at a public address or one that the operator lists. */
  url?: string | null | undefined;
};

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

/** Somebody who works with this tenant. */
type CreatePersonInput = {
  /** How they are called. */
  displayName?: string | null | undefined;
  /** 1 to 100 letters, digits or . _ @ + -, unique in the tenant. */
  login: string;
  /** What they may be; absent: WRITER. */
  role?: Role | null | undefined;
};

/** How hard a case is meant to be. */
type Difficulty =
  /** Meant to be difficult. */
  | 'HARD'
  /** It is an everyday question. */
  | 'NORMAL';

/** The form of a file with results. */
export type DownloadFormat =
  /** A table with a line for each test run, for spreadsheets. */
  | 'CSV'
  /** One page for people that needs no network; of at most 5000 test runs. */
  | 'HTML'
  /** A JSON object in a line for each test run, for programs. */
  | 'JSONL'
  /** JUnit XML, for tools that know test suites. */
  | 'JUNIT';

/** Why a test run has no verdict. */
type ErrorKind =
  /** The agent or its model gave no usable answer. */
  | 'AGENT'
  /** A file of the case cannot be read. */
  | 'FILES'
  /** A judge gave no verdict. */
  | 'JUDGE'
  /** A limit on turns, size or cost ended it. */
  | 'LIMIT'
  /** No result came back from any runner. */
  | 'LOST'
  /** A mocked tool had no answer. */
  | 'MOCK'
  /** The simulated user failed. */
  | 'SIMULATOR'
  /** The agent took too long. */
  | 'TIMEOUT'
  /** A variable has no value or a wrong one. */
  | 'VARIABLES';

/** Why results were taken over. */
type HowTaken =
  /** Its answers are judged again: the judge has changed since. */
  | 'JUDGED_AGAIN'
  /** The content was measured in the pull request that brought it to the base branch. */
  | 'PROMOTED'
  /** The same content was measured on another commit. */
  | 'REUSED';

/** What the token of a CI job says of it beside its repository. */
type PinnedClaim =
  /** The environment of the forge that the job was let into. */
  | 'ENVIRONMENT'
  /** The workflow file that the job stands in, with its ref: a reusable one, or its own. */
  | 'JOB_WORKFLOW_REF'
  /** Whose machine it runs on: github-hosted or self-hosted. */
  | 'RUNNER_ENVIRONMENT';

/** Whether somebody is a person. */
type PrincipalKind =
  /** A person, who may sign in. */
  | 'PERSON'
  /** A program, or a CI job. */
  | 'SERVICE';

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
export type RepeatWhat =
  /** Its agent answers again, and is judged. */
  | 'ALL'
  /** Its stored answer is judged again by the checks of then: no agent is asked. */
  | 'JUDGING';

/** What is written to the forge. */
type ReportingKind =
  /** A check run on the commit. */
  | 'GITHUB_CHECK'
  /** The comment on the pull request. */
  | 'GITHUB_COMMENT';

/** How far the forge is behind the ledger. */
type ReportingState =
  /** The forge shows what the ledger wants. */
  | 'DONE'
  /** To be written, or written again. */
  | 'DUE'
  /** Given up until something changes; see the reason. */
  | 'PARKED';

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
export type RerunWhat =
  /** All that the run was about. */
  | 'ALL'
  /** Those with a test run that ended in an error. */
  | 'ERRORED'
  /** Those with a test run that failed or ended in an error. */
  | 'FAILED';

/** What somebody may be. It bounds what tokens and sessions of theirs may do. */
export type Role =
  /** May do everything in the tenant. */
  | 'ADMIN'
  /** Starts runs, base runs and those of pull requests, and reads them. */
  | 'CI'
  /** Reads runs and what is tested. */
  | 'READER'
  /** Asks nothing of the API: it has the key of a runner. */
  | 'RUNNER'
  /** Reads and starts runs, and changes agents, suites and cases; not what the whole tenant shares, nor people and tokens. */
  | 'WRITER';

/** Which runs; what is absent allows all. */
export type RunFilter = {
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

/** What came of a time at which a suite was to run by itself. */
export type ScheduleState =
  /** No run was started; see the reason. */
  | 'REFUSED'
  /** A run of the suite was started. */
  | 'STARTED'
  /** A coordinator is about to start the run. */
  | 'TAKEN'
  /** The run of an earlier time is still under way; it begins when that has ended. */
  | 'WAITING';

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

/** Where the value of a setting comes from. */
type SettingSource =
  /** Nobody has said anything. */
  | 'DEFAULT'
  /** From a variable of the environment of the coordinator. */
  | 'ENVIRONMENT'
  /** It was stored with updateSetting. */
  | 'STORED';

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

/** What changes of a channel: what is absent stays, null goes back to the default. */
type UpdateAlertChannelInput = {
  /** What it tells of; absent: everything. */
  events?: Array<AlertKind> | null | undefined;
  /** Id of the channel. */
  id: string;
  /** false: it tells nothing. */
  isEnabled?: boolean | null | undefined;
  /** What people call it, once in the tenant. */
  name?: string | null | undefined;
  /** When quiet hours begin, HH:MM. */
  quietFrom?: string | null | undefined;
  /** When they end, HH:MM. What comes between is sent then. */
  quietUntil?: string | null | undefined;
  /** Addresses of mails, 20 at most. */
  recipients?: Array<string> | null | undefined;
  /** Where issues are opened. */
  repositoryId?: string | null | undefined;
  /** The only suite that it tells of; absent: all of the tenant. */
  suiteId?: string | null | undefined;
  /** Of the quiet hours, such as Europe/Berlin; absent: UTC. */
  timeZone?: string | null | undefined;
  /** Where webhooks go: https, at a public address or one that the operator lists. */
  url?: string | null | undefined;
};

/** A setting and its new value. */
type UpdateSettingInput = {
  /** Name of the setting, such as test_suites.retention_days. */
  key: string;
  /** The value to store. Absent or null: nothing is stored any more. */
  value?: string | null | undefined;
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

type CompareSidesQueryVariables = Exact<{
  base: string;
  head: string;
}>;


export type CompareSidesQuery = { compare: { comparisons: Array<{ base: { id: string, suiteName: string, cellKey: string, passRate: number | null, passedCases: number, failedCases: number, erroredCases: number, run: { id: string, headSha: string | null, title: string | null } }, head: { id: string, suiteName: string, cellKey: string, passRate: number | null, passedCases: number, failedCases: number, erroredCases: number, run: { id: string, headSha: string | null, title: string | null } }, verdict: { word: VerdictWord, title: string, paragraph: string, basePassRate: number | null, headPassRate: number | null, diffPoints: number | null, ciLoPoints: number | null, ciHiPoints: number | null }, cases: Array<{ caseName: string, change: CaseChange, p: number | null, answerChanged: boolean, toolsChanged: boolean, notComparable: boolean, changedParts: Array<string>, base: { passed: number, scored: number, status: CaseResult | null, answer: string | null, tools: Array<string>, testRunId: string | null } | null, head: { passed: number, scored: number, status: CaseResult | null, answer: string | null, tools: Array<string>, testRunId: string | null } | null }> }>, onlyBase: Array<{ id: string, suiteName: string, cellKey: string }>, onlyHead: Array<{ id: string, suiteName: string, cellKey: string }> } | null };

export type CurvePointFragment = { id: string, cellKey: string, passRate: number | null, verdictWord: VerdictWord | null, completedAt: string | null, passRateInterval: { lo: number, hi: number } | null };

export type SuiteCurvesFragment = { latest: Array<{ id: string, cellKey: string, costUsd: number | null }>, curves: Array<{ cellKey: string, suiteRuns: Array<{ id: string, cellKey: string, passRate: number | null, verdictWord: VerdictWord | null, completedAt: string | null, passRateInterval: { lo: number, hi: number } | null }> }> };

type HomeQueryVariables = Exact<{
  after?: string | null | undefined;
  onlyBase?: boolean | null | undefined;
}>;


export type HomeQuery = { suites: { edges: Array<{ node: { id: string, name: string, agentName: string, path: string | null, caseCount: number, flakyCases: number, isEnabled: boolean, scheduleType: string, latest: Array<{ id: string, cellKey: string, costUsd: number | null }>, curves: Array<{ cellKey: string, suiteRuns: Array<{ id: string, cellKey: string, passRate: number | null, verdictWord: VerdictWord | null, completedAt: string | null, passRateInterval: { lo: number, hi: number } | null }> }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SuiteOffBaseQueryVariables = Exact<{
  id: string;
  onlyBase?: boolean | null | undefined;
}>;


type SuiteOffBaseQuery = { suite: { id: string, latest: Array<{ id: string, cellKey: string, costUsd: number | null }>, curves: Array<{ cellKey: string, suiteRuns: Array<{ id: string, cellKey: string, passRate: number | null, verdictWord: VerdictWord | null, completedAt: string | null, passRateInterval: { lo: number, hi: number } | null }> }> } | null };

type BrokeSinceQueryVariables = Exact<{
  since: string;
}>;


export type BrokeSinceQuery = { suiteRuns: { edges: Array<{ node: { id: string, suiteName: string, cellKey: string, completedAt: string | null, verdict: { title: string, flagged: Array<string> } | null, run: { id: string, isBase: boolean, headSha: string | null, pullRequest: number | null, title: string | null, author: string | null, repository: string | null, ref: string | null, createdBy: string, triggeredBy: RunTrigger } } }> } };

export type SidesMeasuredFragment = { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null };

export type JudgedSuiteRunFragment = { id: string, suiteId: string, suiteName: string, suitePath: string | null, agentName: string, cellKey: string, variant: Variant, purpose: SuiteRunPurpose, status: RunStatus, failureReason: string | null, errorMessage: string | null, totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null, verdictWord: VerdictWord | null, baselineSuiteRunId: string | null, costUsd: number | null, completedAt: string | null, passRateInterval: { lo: number, hi: number } | null, takenFrom: { how: HowTaken, runId: string, suiteRunId: string, pullRequest: number | null } | null, verdict: { word: VerdictWord, title: string, paragraph: string, lines: Array<string>, newlyFailing: Array<string>, flagged: Array<string>, baselineLabel: string | null, basePassRate: number | null, headPassRate: number | null, diffPoints: number | null, ciLoPoints: number | null, ciHiPoints: number | null, measures: { latencyMs: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, tokens: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, costUsd: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null } } | null, unmeasured: Array<{ metric: string, measured: number, wanted: number, reason: string }> | null, judge: { isMeasured: boolean, isWeak: boolean, labels: number, agreement: number | null, problem: string | null } | null } | null };

type RunPageQueryVariables = Exact<{
  id: string;
}>;


export type RunPageQuery = { run: { baseSha: string | null, notes: string | null, rerunOf: string | null, rescores: string | null, costUsd: number | null, poolsWithoutRunners: Array<string>, id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, feedback: { headline: string }, reporting: Array<{ kind: ReportingKind, name: string, state: ReportingState, reason: string | null, tries: number }>, suiteRuns: Array<{ id: string, suiteId: string, suiteName: string, suitePath: string | null, agentName: string, cellKey: string, variant: Variant, purpose: SuiteRunPurpose, status: RunStatus, failureReason: string | null, errorMessage: string | null, totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null, verdictWord: VerdictWord | null, baselineSuiteRunId: string | null, costUsd: number | null, completedAt: string | null, failingCases: Array<{ caseName: string, reason: string | null }>, passRateInterval: { lo: number, hi: number } | null, takenFrom: { how: HowTaken, runId: string, suiteRunId: string, pullRequest: number | null } | null, verdict: { word: VerdictWord, title: string, paragraph: string, lines: Array<string>, newlyFailing: Array<string>, flagged: Array<string>, baselineLabel: string | null, basePassRate: number | null, headPassRate: number | null, diffPoints: number | null, ciLoPoints: number | null, ciHiPoints: number | null, measures: { latencyMs: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, tokens: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, costUsd: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null } } | null, unmeasured: Array<{ metric: string, measured: number, wanted: number, reason: string }> | null, judge: { isMeasured: boolean, isWeak: boolean, labels: number, agreement: number | null, problem: string | null } | null } | null }>, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } } | null };

export type ChangedTextFragment = { path: string, added: number, removed: number, hunks: Array<{ baseLine: number, headLine: number, lines: Array<string> }> | null };

type RunChangesQueryVariables = Exact<{
  id: string;
}>;


type RunChangesQuery = { run: { changes: Array<{ path: string, added: number, removed: number, hunks: Array<{ baseLine: number, headLine: number, lines: Array<string> }> | null }> | null } | null };

type SuiteRunChangesQueryVariables = Exact<{
  id: string;
}>;


export type SuiteRunChangesQuery = { suiteRun: { agentChanges: Array<{ path: string, added: number, removed: number, hunks: Array<{ baseLine: number, headLine: number, lines: Array<string> }> | null }> | null, resolvedVariables: { values: unknown } | null, baseline: { resolvedVariables: { values: unknown } | null } | null } | null };

type MatrixCasesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type MatrixCasesQuery = { suiteRun: { cases: { edges: Array<{ node: { caseName: string, head: { passed: number, scored: number, status: CaseResult | null } | null, base: { passed: number, scored: number, status: CaseResult | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

type RunDownloadQueryVariables = Exact<{
  id: string;
  format: DownloadFormat;
}>;


type RunDownloadQuery = { run: { download: { url: string } | null } | null };

type PageRunProgressSubscriptionVariables = Exact<{
  id: string;
}>;


type PageRunProgressSubscription = { runProgress: { poolsWithoutRunners: Array<string>, id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } } };

type PageCancelRunMutationVariables = Exact<{
  id: string;
}>;


type PageCancelRunMutation = { cancelRun:
    | { changed: boolean }
    | { code: string, message: string }
    | { code: string, message: string }
   };

type ConfirmSuiteRunMutationVariables = Exact<{
  id: string;
}>;


type ConfirmSuiteRunMutation = { confirmSuiteRun:
    | { run: { id: string } }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
   };

type PageRerunRunMutationVariables = Exact<{
  input: RerunRunInput;
}>;


type PageRerunRunMutation = { rerunRun:
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { run: { id: string } }
   };

type UpdateRunNotesMutationVariables = Exact<{
  id: string;
  notes?: string | null | undefined;
}>;


type UpdateRunNotesMutation = { updateRunNotes:
    | { code: string, message: string }
    | { code: string, message: string }
    | { run: { id: string, notes: string | null } }
   };

export type RunSummaryFragment = { id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } };

type RunsQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type RunsQuery = { runs: { edges: Array<{ node: { costUsd: number | null, id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, suiteRuns: Array<{ suiteName: string, cellKey: string }>, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SuiteNamesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


type SuiteNamesQuery = { suites: { edges: Array<{ node: { id: string, name: string, agentName: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type RepositoryNamesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


type RepositoryNamesQuery = { repositories: { edges: Array<{ node: { id: string, fullName: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type RunsChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


type RunsChangedSubscription = { runsChanged: { id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } } };

type SetUpSuitesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


type SetUpSuitesQuery = { suites: { edges: Array<{ node: { id: string, name: string, path: string | null, agentName: string, caseCount: number, isEnabled: boolean, scheduleType: string, scheduleTime: string | null, alertOnRegression: boolean, alertThresholdPercent: number, agent: { configPath: string | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpCasesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


type SetUpCasesQuery = { suite: { testCases: { edges: Array<{ node: { id: string, name: string, line: number | null, tags: Array<string>, difficulty: Difficulty, status: CaseStatus, isEnabled: boolean } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

type SetUpModelsQueryVariables = Exact<{ [key: string]: never; }>;


type SetUpModelsQuery = { aiConfigurations: { edges: Array<{ node: { id: string, name: string, provider: string, model: string, baseUrl: string | null, apiKeyEnv: string | null, temperature: number | null, maxTokens: number | null, price: unknown, limits: unknown, pool: string | null } }> }, presets: { edges: Array<{ node: { id: string, name: string, values: unknown } }> } };

type SetUpSchedulesQueryVariables = Exact<{
  after?: string | null | undefined;
  state?: ScheduleState | null | undefined;
}>;


type SetUpSchedulesQuery = { scheduledRuns: { edges: Array<{ node: { dueAt: string, state: ScheduleState, reason: string | null, suiteId: string, suite: { name: string } | null, run: { id: string, verdictWord: VerdictWord | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpChannelsQueryVariables = Exact<{ [key: string]: never; }>;


export type SetUpChannelsQuery = { alertChannels: { edges: Array<{ node: { id: string, name: string, kind: AlertChannelKind, url: string | null, recipients: Array<string>, events: Array<AlertKind>, isEnabled: boolean, quietFrom: string | null, quietUntil: string | null, timeZone: string | null, suite: { id: string, name: string } | null, repository: { id: string, fullName: string } | null } }> } };

type SetUpAlertsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


type SetUpAlertsQuery = { alerts: { edges: Array<{ node: { id: string, kind: AlertKind, title: string, createdAt: string, endedAt: string | null, run: { id: string } | null, deliveries: Array<{ channel: string | null, channelId: string, state: AlertDeliveryState, reason: string | null, tries: number, nextTryAt: string | null }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpSettingsQueryVariables = Exact<{ [key: string]: never; }>;


type SetUpSettingsQuery = { settings: Array<{ key: string, value: string, source: SettingSource, description: string, warning: string | null }> };

type SetUpTokensQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SetUpTokensQuery = { apiTokens: { edges: Array<{ node: { id: string, name: string, login: string, scopes: Array<Scope>, repository: string | null, createdAt: string, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpPeopleQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SetUpPeopleQuery = { people: { edges: Array<{ node: { id: string, login: string, displayName: string | null, kind: PrincipalKind, role: Role, disabledAt: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpAuditQueryVariables = Exact<{
  filter?: AuditFilter | null | undefined;
  after?: string | null | undefined;
}>;


type SetUpAuditQuery = { audit: { edges: Array<{ node: { id: string, at: string, login: string | null, token: string | null, action: string, subject: string, names: Array<string>, total: number, changes: unknown } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpRepositoriesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


type SetUpRepositoriesQuery = { repositories: { edges: Array<{ node: { id: string, host: string, fullName: string, defaultBranch: string | null, baselineBranches: Array<string>, installationId: string | null, claimPins: Array<{ claim: PinnedClaim, value: string }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

type SetUpRunnersQueryVariables = Exact<{ [key: string]: never; }>;


type SetUpRunnersQuery = { runners: Array<{ id: string, version: string, pools: Array<string>, slots: number, heldTestRuns: number, since: string, runIds: Array<string> }> };

type PageCreateTokenMutationVariables = Exact<{
  input: CreateApiTokenInput;
}>;


type PageCreateTokenMutation = { createApiToken:
    | { token: string }
    | { code: string, message: string }
    | { code: string, message: string }
   };

type PageRevokeTokenMutationVariables = Exact<{
  id: string;
}>;


type PageRevokeTokenMutation = { revokeApiToken:
    | { code: string, message: string }
    | { id: string }
   };

type PageRotateTokenMutationVariables = Exact<{
  id: string;
  graceHours: number;
}>;


type PageRotateTokenMutation = { rotateApiToken:
    | { code: string, message: string }
    | { code: string, message: string }
    | { token: string }
   };

type PageCreatePersonMutationVariables = Exact<{
  input: CreatePersonInput;
}>;


type PageCreatePersonMutation = { createPerson:
    | { person: { login: string } }
    | { code: string, message: string }
   };

type PageCreateServiceMutationVariables = Exact<{
  input: CreatePersonInput;
}>;


type PageCreateServiceMutation = { createService:
    | { person: { login: string } }
    | { code: string, message: string }
   };

type PageChangePersonMutationVariables = Exact<{
  id: string;
  role?: Role | null | undefined;
  isDisabled?: boolean | null | undefined;
}>;


type PageChangePersonMutation = { changePerson:
    | { person: { id: string } }
    | { code: string, message: string }
    | { code: string, message: string }
   };

type PageCreateChannelMutationVariables = Exact<{
  input: CreateAlertChannelInput;
}>;


type PageCreateChannelMutation = { createAlertChannel:
    | { signingSecret: string | null }
    | { code: string, message: string }
    | { code: string, message: string }
   };

type PageUpdateChannelMutationVariables = Exact<{
  input: UpdateAlertChannelInput;
}>;


type PageUpdateChannelMutation = { updateAlertChannel:
    | { code: string, message: string }
    | { code: string, message: string }
    | { alertChannel: { id: string } }
   };

type PageDeleteChannelMutationVariables = Exact<{
  id: string;
}>;


type PageDeleteChannelMutation = { deleteAlertChannel:
    | { id: string }
    | { code: string, message: string }
   };

type PageUpdateSettingMutationVariables = Exact<{
  input: UpdateSettingInput;
}>;


type PageUpdateSettingMutation = { updateSetting:
    | { code: string, message: string }
    | { setting: { key: string, value: string } }
   };

type PageTestAlertChannelMutationVariables = Exact<{
  id: string;
}>;


type PageTestAlertChannelMutation = { testAlertChannel:
    | { code: string, message: string }
    | Record<PropertyKey, never>
   };

type SuiteRunPageQueryVariables = Exact<{
  id: string;
}>;


export type SuiteRunPageQuery = { suiteRun: { id: string, suiteId: string, suiteName: string, suitePath: string | null, agentName: string, cellKey: string, variant: Variant, purpose: SuiteRunPurpose, status: RunStatus, failureReason: string | null, errorMessage: string | null, totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null, verdictWord: VerdictWord | null, baselineSuiteRunId: string | null, costUsd: number | null, completedAt: string | null, run: { id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } }, baseline: { id: string, passRate: number | null, completedAt: string | null, run: { id: string, headSha: string | null, pullRequest: number | null, isBase: boolean } } | null, passRateInterval: { lo: number, hi: number } | null, takenFrom: { how: HowTaken, runId: string, suiteRunId: string, pullRequest: number | null } | null, verdict: { word: VerdictWord, title: string, paragraph: string, lines: Array<string>, newlyFailing: Array<string>, flagged: Array<string>, baselineLabel: string | null, basePassRate: number | null, headPassRate: number | null, diffPoints: number | null, ciLoPoints: number | null, ciHiPoints: number | null, measures: { latencyMs: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, tokens: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null }, costUsd: { diffLo: number | null, diffHi: number | null, base: { mean: number } | null, head: { mean: number } | null } } | null, unmeasured: Array<{ metric: string, measured: number, wanted: number, reason: string }> | null, judge: { isMeasured: boolean, isWeak: boolean, labels: number, agreement: number | null, problem: string | null } | null } | null } | null };

export type CaseLineFragment = { caseName: string, p: number | null, change: CaseChange, isQuarantined: boolean, notComparable: boolean, changedParts: Array<string>, head: { passed: number, scored: number, status: CaseResult | null } | null, base: { passed: number, scored: number, status: CaseResult | null } | null };

export type CaseLinesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
  tag?: string | null | undefined;
  difficulty?: Difficulty | null | undefined;
  failedCheck?: string | null | undefined;
}>;


type CaseLinesQuery = { suiteRun: { cases: { edges: Array<{ node: { caseName: string, p: number | null, change: CaseChange, isQuarantined: boolean, notComparable: boolean, changedParts: Array<string>, head: { passed: number, scored: number, status: CaseResult | null } | null, base: { passed: number, scored: number, status: CaseResult | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

type OpenCaseLinesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


type OpenCaseLinesQuery = { suiteRun: { testRuns: { edges: Array<{ node: { id: string, caseName: string, repetition: number, status: TestRunStatus } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

type CaseFactsQueryVariables = Exact<{
  suiteId: string;
  after?: string | null | undefined;
}>;


export type CaseFactsQuery = { suite: { testCases: { edges: Array<{ node: { id: string, name: string, tags: Array<string>, difficulty: Difficulty, line: number | null, flakiness: number | null, history: { edges: Array<{ node: { passed: number, failed: number, errored: number, suiteRunId: string } }> } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

type SuiteRunDownloadQueryVariables = Exact<{
  id: string;
  format: DownloadFormat;
}>;


type SuiteRunDownloadQuery = { suiteRun: { download: { url: string } | null } | null };

export type WholeTestRunFragment = { id: string, caseName: string, caseKey: string, caseHash: string, repetition: number, status: TestRunStatus, attempt: number, retryCount: number, errorKind: ErrorKind | null, errorMessage: string | null, skipReason: string | null, degraded: boolean, truncated: boolean, testInput: string | null, response: string | null, model: string | null, promptTokens: number | null, completionTokens: number | null, costUsd: number | null, latencyMs: number | null, executionTimeMs: number | null, startedAt: string | null, recordedFrom: string | null, toolsMatched: boolean | null, metricsPassed: number, metricsTotal: number, outcome: unknown, checks: Array<{ index: number, type: string, status: string, passed: boolean, turn: number | null, error: string | null, details: unknown }>, toolCalls: Array<{ id: string, name: string, args: unknown, argsError: string | null, result: unknown, error: string | null, durationMs: number, source: string, turn: number }>, metricResults: Array<{ metricName: string, kind: string | null, score: number | null, threshold: number | null, scale: number | null, passed: boolean, error: string | null, reasoning: string | null, modelUsed: string | null, evaluationTimeMs: number, retryCount: number }>, outcomes: { passed: boolean | null, error: string | null, score: number | null, injectionAttempt: boolean, criteria: Array<{ id: string, requirement: string, status: string, reasoning: string }> } | null, transcript: Array<{ role: string, text: string, toolCallId: string | null }>, progress: Array<{ state: string, atMs: number }>, resolvedVariables: { values: unknown, sources: unknown } | null };

type TestRunPlaceQueryVariables = Exact<{
  id: string;
}>;


type TestRunPlaceQuery = { testRun: { id: string, caseName: string, repetition: number, suiteRunId: string } | null };

type CaseOfSuiteRunQueryVariables = Exact<{
  suiteRunId: string;
  caseName: string;
}>;


export type CaseOfSuiteRunQuery = { suiteRun: { id: string, suiteId: string, suiteName: string, suitePath: string | null, cellKey: string, variant: Variant, status: RunStatus, run: { id: string, status: RunStatus, event: string | null, repository: string | null, host: string | null, ref: string | null, pullRequest: number | null, headSha: string | null, author: string | null, createdBy: string, triggeredBy: RunTrigger, isBase: boolean, title: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, durationMs: number | null, verdictWord: VerdictWord | null, conclusion: Conclusion | null, totalSuiteRuns: number, finishedSuiteRuns: number, totalCases: number, openCases: number, head: { totalCases: number, openCases: number, passedCases: number, failedCases: number, erroredCases: number, skippedCases: number, passRate: number | null } }, verdict: { word: VerdictWord, flagged: Array<string>, judge: { path: string, isMeasured: boolean, isWeak: boolean, labels: number, agreement: number | null, kappa: number | null, tpr: number | null, tnr: number | null, problem: string | null } | null } | null, testRuns: { edges: Array<{ node: { id: string, repetition: number, status: TestRunStatus } }> }, baseline: { id: string, run: { id: string, headSha: string | null, pullRequest: number | null, isBase: boolean }, testRuns: { edges: Array<{ node: { id: string, repetition: number, status: TestRunStatus } }> } } | null } | null };

type WholeTestRunQueryVariables = Exact<{
  id: string;
}>;


export type WholeTestRunQuery = { testRun: { id: string, caseName: string, caseKey: string, caseHash: string, repetition: number, status: TestRunStatus, attempt: number, retryCount: number, errorKind: ErrorKind | null, errorMessage: string | null, skipReason: string | null, degraded: boolean, truncated: boolean, testInput: string | null, response: string | null, model: string | null, promptTokens: number | null, completionTokens: number | null, costUsd: number | null, latencyMs: number | null, executionTimeMs: number | null, startedAt: string | null, recordedFrom: string | null, toolsMatched: boolean | null, metricsPassed: number, metricsTotal: number, outcome: unknown, testCase: { id: string, line: number | null, tags: Array<string>, difficulty: Difficulty, flakiness: number | null, description: string | null, groundTruth: string | null, history: { edges: Array<{ node: { passed: number, failed: number, errored: number, isBase: boolean, headSha: string | null, endedAt: string, suiteRunId: string } }> } } | null, checks: Array<{ index: number, type: string, status: string, passed: boolean, turn: number | null, error: string | null, details: unknown }>, toolCalls: Array<{ id: string, name: string, args: unknown, argsError: string | null, result: unknown, error: string | null, durationMs: number, source: string, turn: number }>, metricResults: Array<{ metricName: string, kind: string | null, score: number | null, threshold: number | null, scale: number | null, passed: boolean, error: string | null, reasoning: string | null, modelUsed: string | null, evaluationTimeMs: number, retryCount: number }>, outcomes: { passed: boolean | null, error: string | null, score: number | null, injectionAttempt: boolean, criteria: Array<{ id: string, requirement: string, status: string, reasoning: string }> } | null, transcript: Array<{ role: string, text: string, toolCallId: string | null }>, progress: Array<{ state: string, atMs: number }>, resolvedVariables: { values: unknown, sources: unknown } | null } | null };

type OtherSideQueryVariables = Exact<{
  id: string;
}>;


export type OtherSideQuery = { testRun: { id: string, caseName: string, caseKey: string, caseHash: string, repetition: number, status: TestRunStatus, attempt: number, retryCount: number, errorKind: ErrorKind | null, errorMessage: string | null, skipReason: string | null, degraded: boolean, truncated: boolean, testInput: string | null, response: string | null, model: string | null, promptTokens: number | null, completionTokens: number | null, costUsd: number | null, latencyMs: number | null, executionTimeMs: number | null, startedAt: string | null, recordedFrom: string | null, toolsMatched: boolean | null, metricsPassed: number, metricsTotal: number, outcome: unknown, checks: Array<{ index: number, type: string, status: string, passed: boolean, turn: number | null, error: string | null, details: unknown }>, toolCalls: Array<{ id: string, name: string, args: unknown, argsError: string | null, result: unknown, error: string | null, durationMs: number, source: string, turn: number }>, metricResults: Array<{ metricName: string, kind: string | null, score: number | null, threshold: number | null, scale: number | null, passed: boolean, error: string | null, reasoning: string | null, modelUsed: string | null, evaluationTimeMs: number, retryCount: number }>, outcomes: { passed: boolean | null, error: string | null, score: number | null, injectionAttempt: boolean, criteria: Array<{ id: string, requirement: string, status: string, reasoning: string }> } | null, transcript: Array<{ role: string, text: string, toolCallId: string | null }>, progress: Array<{ state: string, atMs: number }>, resolvedVariables: { values: unknown, sources: unknown } | null } | null };

type PageRepeatTestRunMutationVariables = Exact<{
  input: RepeatTestRunInput;
}>;


type PageRepeatTestRunMutation = { repeatTestRun:
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { code: string, message: string }
    | { run: { id: string } }
   };

type SuiteTrendQueryVariables = Exact<{
  id: string;
  cellKey?: string | null | undefined;
  onlyBase: boolean;
  after?: string | null | undefined;
}>;


export type SuiteTrendQuery = { suite: { id: string, name: string, agentName: string, path: string | null, caseCount: number, latest: Array<{ cellKey: string }>, history: { edges: Array<{ node: { costUsd: number | null, latencyMs: number | null, agentHash: string, contentHash: string | null, startedAt: string | null, totalCases: number, id: string, cellKey: string, passRate: number | null, verdictWord: VerdictWord | null, completedAt: string | null, run: { id: string, headSha: string | null, title: string | null, pullRequest: number | null, author: string | null, createdBy: string, triggeredBy: RunTrigger }, passRateInterval: { lo: number, hi: number } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null, flakyCases: Array<{ caseName: string, cellKey: string, flakiness: number, passed: number, scored: number }> };

type ChangesBetweenQueryVariables = Exact<{
  from: string;
  to: string;
}>;


type ChangesBetweenQuery = { run: { changes: Array<{ path: string, added: number, removed: number, hunks: Array<{ baseLine: number, headLine: number, lines: Array<string> }> | null }> | null } | null };

export const CompareSidesDocument: TypedDocument<CompareSidesQuery, CompareSidesQueryVariables> = {
  name: 'CompareSides',
  sha256: 'fb70aa893a045559ef3b63a0f53f7f6790e10a4dce72d37166ab6340bb7211e7',
  text: "query CompareSides($base:UUID!$head:UUID!){compare(base:$base head:$head){comparisons{base{id suiteName cellKey passRate passedCases failedCases erroredCases run{id headSha title}}head{id suiteName cellKey passRate passedCases failedCases erroredCases run{id headSha title}}verdict{word title paragraph basePassRate headPassRate diffPoints ciLoPoints ciHiPoints}cases(first:41 onlyDifferent:true){caseName change p answerChanged toolsChanged notComparable changedParts base{passed scored status answer tools testRunId}head{passed scored status answer tools testRunId}}}onlyBase{id suiteName cellKey}onlyHead{id suiteName cellKey}}}",
};

export const HomeDocument: TypedDocument<HomeQuery, HomeQueryVariables> = {
  name: 'Home',
  sha256: 'f2dbc7d83951358eb4b70a82500c4b9d13ac9a26bc959159c10b3dab5e86fba6',
  text: "query Home($after:String$onlyBase:Boolean=true){suites(first:20 after:$after){edges{node{id name agentName path caseCount flakyCases isEnabled scheduleType ...SuiteCurves}}pageInfo{hasNextPage endCursor}}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}fragment SuiteCurves on Suite{latest(onlyBase:$onlyBase){id cellKey costUsd}curves(onlyBase:$onlyBase cells:10 points:20){cellKey suiteRuns{...CurvePoint}}}",
};

export const SuiteOffBaseDocument: TypedDocument<SuiteOffBaseQuery, SuiteOffBaseQueryVariables> = {
  name: 'SuiteOffBase',
  sha256: '70fdea37625a62a344815267ac93a49f6ea7b6d360aa70811fc4f91bbb8cc13e',
  text: "query SuiteOffBase($id:UUID!$onlyBase:Boolean=false){suite(id:$id){id ...SuiteCurves}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}fragment SuiteCurves on Suite{latest(onlyBase:$onlyBase){id cellKey costUsd}curves(onlyBase:$onlyBase cells:10 points:20){cellKey suiteRuns{...CurvePoint}}}",
};

export const BrokeSinceDocument: TypedDocument<BrokeSinceQuery, BrokeSinceQueryVariables> = {
  name: 'BrokeSince',
  sha256: '63982800737479278e8f85346516da36b23fcfd5be60e5b4868306cb7661eed7',
  text: "query BrokeSince($since:DateTime!){suiteRuns(first:20 filter:{verdict:REGRESSED createdAfter:$since}){edges{node{id suiteName cellKey completedAt verdict{title flagged}run{id isBase headSha pullRequest title author repository ref createdBy triggeredBy}}}}}",
};

export const RunPageDocument: TypedDocument<RunPageQuery, RunPageQueryVariables> = {
  name: 'RunPage',
  sha256: 'abf91fe8d87e5df57efc8fcbf4cac34c54a326b8bf889270f11694c350037b51',
  text: "query RunPage($id:UUID!){run(id:$id){...RunSummary baseSha notes rerunOf rescores costUsd poolsWithoutRunners feedback{headline}reporting{kind name state reason tries}suiteRuns{...JudgedSuiteRun failingCases(first:40){caseName reason}}}}fragment JudgedSuiteRun on SuiteRun{id suiteId suiteName suitePath agentName cellKey variant purpose status failureReason errorMessage totalCases openCases passedCases failedCases erroredCases skippedCases passRate passRateInterval{lo hi}verdictWord baselineSuiteRunId costUsd completedAt takenFrom{how runId suiteRunId pullRequest}verdict{word title paragraph lines newlyFailing flagged baselineLabel basePassRate headPassRate diffPoints ciLoPoints ciHiPoints measures{latencyMs{...SidesMeasured}tokens{...SidesMeasured}costUsd{...SidesMeasured}}unmeasured{metric measured wanted reason}judge{isMeasured isWeak labels agreement problem}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}fragment SidesMeasured on MeasureComparison{base{mean}head{mean}diffLo diffHi}",
};

export const RunChangesDocument: TypedDocument<RunChangesQuery, RunChangesQueryVariables> = {
  name: 'RunChanges',
  sha256: '6675d8a6b454dcc4120fa0a57c8319fb8c885ee7bab45af5fd820c81b188d7cb',
  text: "query RunChanges($id:UUID!){run(id:$id){changes{...ChangedText}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
};

export const SuiteRunChangesDocument: TypedDocument<SuiteRunChangesQuery, SuiteRunChangesQueryVariables> = {
  name: 'SuiteRunChanges',
  sha256: '8d300afd17e645af05ed9919e191595406d365dfef05b06ce7e760ec9f7ee109',
  text: "query SuiteRunChanges($id:UUID!){suiteRun(id:$id){agentChanges{...ChangedText}resolvedVariables{values}baseline{resolvedVariables{values}}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
};

export const MatrixCasesDocument: TypedDocument<MatrixCasesQuery, MatrixCasesQueryVariables> = {
  name: 'MatrixCases',
  sha256: 'f5b8ac8806b4893bcc611607a44a5a5e1167517a3b4c8335876371616d36f2de',
  text: "query MatrixCases($id:UUID!$after:String){suiteRun(id:$id){cases(first:100 after:$after){edges{node{caseName head{passed scored status}base{passed scored status}}}pageInfo{hasNextPage endCursor}}}}",
};

export const RunDownloadDocument: TypedDocument<RunDownloadQuery, RunDownloadQueryVariables> = {
  name: 'RunDownload',
  sha256: '24cf1726a3bc582e3018368dbb045eaa7fb30f1410ee5ecb1582bddb6c771dd6',
  text: "query RunDownload($id:UUID!$format:DownloadFormat!){run(id:$id){download(format:$format){url}}}",
};

export const PageRunProgressDocument: TypedDocument<PageRunProgressSubscription, PageRunProgressSubscriptionVariables> = {
  name: 'PageRunProgress',
  sha256: '303d07b948039c0c82f86fcaa682801cf4447fa8b1921c9743bef387669e4435',
  text: "subscription PageRunProgress($id:UUID!){runProgress(id:$id){...RunSummary poolsWithoutRunners}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
};

export const PageCancelRunDocument: TypedDocument<PageCancelRunMutation, PageCancelRunMutationVariables> = {
  name: 'PageCancelRun',
  sha256: 'dedfb0c107577213bd6f8613c8405fbe8277788f2741c054661c281dfad277e0',
  text: "mutation PageCancelRun($id:UUID!){cancelRun(id:$id){...on CancelRunSuccess{changed}...on UserError{code message}}}",
};

export const ConfirmSuiteRunDocument: TypedDocument<ConfirmSuiteRunMutation, ConfirmSuiteRunMutationVariables> = {
  name: 'ConfirmSuiteRun',
  sha256: 'c8bb2304fe4c4f26b622d71d15b843f832f070ce9c30c22dba8b81c8b8c628f5',
  text: "mutation ConfirmSuiteRun($id:UUID!){confirmSuiteRun(id:$id){...on ConfirmSuiteRunSuccess{run{id}}...on UserError{code message}}}",
};

export const PageRerunRunDocument: TypedDocument<PageRerunRunMutation, PageRerunRunMutationVariables> = {
  name: 'PageRerunRun',
  sha256: 'bce934c426d926d735178ff2b0f5bcf52b32dfb531c3aca7b53f29484b553453',
  text: "mutation PageRerunRun($input:RerunRunInput!){rerunRun(input:$input){...on StartRunSuccess{run{id}}...on UserError{code message}}}",
};

export const UpdateRunNotesDocument: TypedDocument<UpdateRunNotesMutation, UpdateRunNotesMutationVariables> = {
  name: 'UpdateRunNotes',
  sha256: '4c6d8fcedb6f48cef333d24b0f4b02e11a8bd20e052cd1420fb836a07670cc10',
  text: "mutation UpdateRunNotes($id:UUID!$notes:String){updateRunNotes(id:$id notes:$notes){...on UpdateRunNotesSuccess{run{id notes}}...on UserError{code message}}}",
};

export const RunsDocument: TypedDocument<RunsQuery, RunsQueryVariables> = {
  name: 'Runs',
  sha256: '614b53b72f7b31550b06fa2a7cdef4e03da60150f1bb3677234cbdcbeb48313f',
  text: "query Runs($filter:RunFilter$after:String){runs(first:40 after:$after filter:$filter){edges{node{...RunSummary costUsd suiteRuns{suiteName cellKey}}}pageInfo{hasNextPage endCursor}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
};

export const SuiteNamesDocument: TypedDocument<SuiteNamesQuery, SuiteNamesQueryVariables> = {
  name: 'SuiteNames',
  sha256: 'b5e92c2ab20f014bec257892ac41475e02746fbeca9dcbcb3b9af5fd4b4bcbfc',
  text: "query SuiteNames($after:String){suites(first:100 after:$after){edges{node{id name agentName}}pageInfo{hasNextPage endCursor}}}",
};

export const RepositoryNamesDocument: TypedDocument<RepositoryNamesQuery, RepositoryNamesQueryVariables> = {
  name: 'RepositoryNames',
  sha256: 'a97cda105d58b86fe13caba55f4087f69cc331a2e40bb23e1047d4c1bb518ea6',
  text: "query RepositoryNames($after:String){repositories(first:100 after:$after){edges{node{id fullName}}pageInfo{hasNextPage endCursor}}}",
};

export const RunsChangedDocument: TypedDocument<RunsChangedSubscription, RunsChangedSubscriptionVariables> = {
  name: 'RunsChanged',
  sha256: '3ffdcb04085c3545390d1106ce812a1f66c2c26d431e7cdda317c035a38a4113',
  text: "subscription RunsChanged{runsChanged{...RunSummary}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
};

export const SetUpSuitesDocument: TypedDocument<SetUpSuitesQuery, SetUpSuitesQueryVariables> = {
  name: 'SetUpSuites',
  sha256: 'dbd1fa4cd7c200a6aacf93ce029748c248ef685e1ed9ec68e6232ab2ff675f1c',
  text: "query SetUpSuites($after:String){suites(first:50 after:$after){edges{node{id name path agentName caseCount isEnabled scheduleType scheduleTime alertOnRegression alertThresholdPercent agent{configPath}}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpCasesDocument: TypedDocument<SetUpCasesQuery, SetUpCasesQueryVariables> = {
  name: 'SetUpCases',
  sha256: '964e3e69d7591f413b84d7ade8879ab8858d110b7c33e9a220136bb6cc820619',
  text: "query SetUpCases($id:UUID!$after:String){suite(id:$id){testCases(first:100 after:$after){edges{node{id name line tags difficulty status isEnabled}}pageInfo{hasNextPage endCursor}}}}",
};

export const SetUpModelsDocument: TypedDocument<SetUpModelsQuery, SetUpModelsQueryVariables> = {
  name: 'SetUpModels',
  sha256: 'aed1c93dd4df9693024fd15ef27ef29d20284cabe4088d50aa64a47678818430',
  text: "query SetUpModels{aiConfigurations(first:100){edges{node{id name provider model baseUrl apiKeyEnv temperature maxTokens price limits pool}}}presets(first:100){edges{node{id name values}}}}",
};

export const SetUpSchedulesDocument: TypedDocument<SetUpSchedulesQuery, SetUpSchedulesQueryVariables> = {
  name: 'SetUpSchedules',
  sha256: '55519f6ad240580ad6627e8a4ade4f71e7ee8c0aee94c03bd63de436ed7f25f2',
  text: "query SetUpSchedules($after:String$state:ScheduleState){scheduledRuns(first:50 after:$after state:$state){edges{node{dueAt state reason suiteId suite{name}run{id verdictWord}}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpChannelsDocument: TypedDocument<SetUpChannelsQuery, SetUpChannelsQueryVariables> = {
  name: 'SetUpChannels',
  sha256: 'e876b70f885da876dc93fde4b44b355b6a1c8cd513e38b1efe0ab0884364129a',
  text: "query SetUpChannels{alertChannels(first:100){edges{node{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{id name}repository{id fullName}}}}}",
};

export const SetUpAlertsDocument: TypedDocument<SetUpAlertsQuery, SetUpAlertsQueryVariables> = {
  name: 'SetUpAlerts',
  sha256: '82a3095855acc7ef1df7b7f324f619e10b208ff6a9293cf92d6f33ebb53f91c9',
  text: "query SetUpAlerts($after:String){alerts(first:50 after:$after){edges{node{id kind title createdAt endedAt run{id}deliveries{channel channelId state reason tries nextTryAt}}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpSettingsDocument: TypedDocument<SetUpSettingsQuery, SetUpSettingsQueryVariables> = {
  name: 'SetUpSettings',
  sha256: '689f92a3f47ca5c6c7d16b2b7b5293b33ed821d8993e6e030752df2277a9de67',
  text: "query SetUpSettings{settings{key value source description warning}}",
};

export const SetUpTokensDocument: TypedDocument<SetUpTokensQuery, SetUpTokensQueryVariables> = {
  name: 'SetUpTokens',
  sha256: 'a126243893f4f905a6d78f5c032dcb5a0690aa8f87896e9d4b59cf757b0d63dd',
  text: "query SetUpTokens($after:String){apiTokens(first:50 after:$after){edges{node{id name login scopes repository createdAt expiresAt revokedAt lastUsedAt}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpPeopleDocument: TypedDocument<SetUpPeopleQuery, SetUpPeopleQueryVariables> = {
  name: 'SetUpPeople',
  sha256: '67bf64e3b0968e35090362afb04b925eca7882a05ff88c24552b0d2106d4d946',
  text: "query SetUpPeople($after:String){people(first:50 after:$after){edges{node{id login displayName kind role disabledAt}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpAuditDocument: TypedDocument<SetUpAuditQuery, SetUpAuditQueryVariables> = {
  name: 'SetUpAudit',
  sha256: '0214e13155ee3f334113a4a01bb103bc6498e24cd5ccc727fc67ca80759887bd',
  text: "query SetUpAudit($filter:AuditFilter$after:String){audit(first:50 after:$after filter:$filter){edges{node{id at login token action subject names total changes}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpRepositoriesDocument: TypedDocument<SetUpRepositoriesQuery, SetUpRepositoriesQueryVariables> = {
  name: 'SetUpRepositories',
  sha256: '2336d2456f49c8f33435d7c3a19909ae9d76556fac88e4a32da57aa0587c07ac',
  text: "query SetUpRepositories($after:String){repositories(first:50 after:$after){edges{node{id host fullName defaultBranch baselineBranches installationId claimPins{claim value}}}pageInfo{hasNextPage endCursor}}}",
};

export const SetUpRunnersDocument: TypedDocument<SetUpRunnersQuery, SetUpRunnersQueryVariables> = {
  name: 'SetUpRunners',
  sha256: 'fc5ebfdd992a7f1d00aa3ce6234d64eb49b142fd7d538649359d34cd9f3c08c6',
  text: "query SetUpRunners{runners{id version pools slots heldTestRuns since runIds}}",
};

export const PageCreateTokenDocument: TypedDocument<PageCreateTokenMutation, PageCreateTokenMutationVariables> = {
  name: 'PageCreateToken',
  sha256: 'df66138b34a5e3a8f40c4f2ee6e94f8b8e038cec41f456a4cefe2d94e0b0a5ce',
  text: "mutation PageCreateToken($input:CreateApiTokenInput!){createApiToken(input:$input){...on CreateApiTokenSuccess{token}...on UserError{code message}}}",
};

export const PageRevokeTokenDocument: TypedDocument<PageRevokeTokenMutation, PageRevokeTokenMutationVariables> = {
  name: 'PageRevokeToken',
  sha256: '802f5875dc48a400b42bbe222f482af921a265c67a38b328399ddb90e4c3212a',
  text: "mutation PageRevokeToken($id:UUID!){revokeApiToken(id:$id){...on RevokeApiTokenSuccess{id}...on UserError{code message}}}",
};

export const PageRotateTokenDocument: TypedDocument<PageRotateTokenMutation, PageRotateTokenMutationVariables> = {
  name: 'PageRotateToken',
  sha256: '64912af1c34c437e3c9de1b071514a4978859038bc3ee92aa90ac0d85e9292de',
  text: "mutation PageRotateToken($id:UUID!$graceHours:Int!){rotateApiToken(id:$id graceHours:$graceHours){...on RotateApiTokenSuccess{token}...on UserError{code message}}}",
};

export const PageCreatePersonDocument: TypedDocument<PageCreatePersonMutation, PageCreatePersonMutationVariables> = {
  name: 'PageCreatePerson',
  sha256: 'cc2a79451b32b458c3740fa515cdbb357a5f343222fe6a3ffa3bc657b750e172',
  text: "mutation PageCreatePerson($input:CreatePersonInput!){createPerson(input:$input){...on CreatePersonSuccess{person{login}}...on UserError{code message}}}",
};

export const PageCreateServiceDocument: TypedDocument<PageCreateServiceMutation, PageCreateServiceMutationVariables> = {
  name: 'PageCreateService',
  sha256: '27a6dae7eb254865dff84b19cf73d5c2319662e28de9d4560471e11bc4915f44',
  text: "mutation PageCreateService($input:CreatePersonInput!){createService(input:$input){...on CreatePersonSuccess{person{login}}...on UserError{code message}}}",
};

export const PageChangePersonDocument: TypedDocument<PageChangePersonMutation, PageChangePersonMutationVariables> = {
  name: 'PageChangePerson',
  sha256: '8e31507f268b1a4fe1d8d1fea2999df2abec74a03389633e3a13fd9c4dfd99a9',
  text: "mutation PageChangePerson($id:UUID!$role:Role$isDisabled:Boolean){changePerson(id:$id role:$role isDisabled:$isDisabled){...on ChangePersonSuccess{person{id}}...on UserError{code message}}}",
};

export const PageCreateChannelDocument: TypedDocument<PageCreateChannelMutation, PageCreateChannelMutationVariables> = {
  name: 'PageCreateChannel',
  sha256: 'd33edbe382a044a71f0a9de80c1c4bebe0761f748e0bb8f672fc70eaf898cb87',
  text: "mutation PageCreateChannel($input:CreateAlertChannelInput!){createAlertChannel(input:$input){...on CreateAlertChannelSuccess{signingSecret}...on UserError{code message}}}",
};

export const PageUpdateChannelDocument: TypedDocument<PageUpdateChannelMutation, PageUpdateChannelMutationVariables> = {
  name: 'PageUpdateChannel',
  sha256: 'bb9e37533767dfdc9627c0a21833cddf553b00fd99961a5ce6f1b05f3c18d9fa',
  text: "mutation PageUpdateChannel($input:UpdateAlertChannelInput!){updateAlertChannel(input:$input){...on UpdateAlertChannelSuccess{alertChannel{id}}...on UserError{code message}}}",
};

export const PageDeleteChannelDocument: TypedDocument<PageDeleteChannelMutation, PageDeleteChannelMutationVariables> = {
  name: 'PageDeleteChannel',
  sha256: '368195480ae12978bdf93c7cbf83d73be78441b7d2e61b2be6bcde5a252c25a3',
  text: "mutation PageDeleteChannel($id:UUID!){deleteAlertChannel(id:$id){...on DeleteAlertChannelSuccess{id}...on UserError{code message}}}",
};

export const PageUpdateSettingDocument: TypedDocument<PageUpdateSettingMutation, PageUpdateSettingMutationVariables> = {
  name: 'PageUpdateSetting',
  sha256: 'c64b108297f89a19479745edb25e94e20cd58faed6688b0cd7e4aade64f50f6d',
  text: "mutation PageUpdateSetting($input:UpdateSettingInput!){updateSetting(input:$input){...on UpdateSettingSuccess{setting{key value}}...on UserError{code message}}}",
};

export const PageTestAlertChannelDocument: TypedDocument<PageTestAlertChannelMutation, PageTestAlertChannelMutationVariables> = {
  name: 'PageTestAlertChannel',
  sha256: '54aa86105ffa12b005ec7572c8e814ab092ede072e8b6d3e079d9c532659e377',
  text: "mutation PageTestAlertChannel($id:UUID!){testAlertChannel(id:$id){...on UserError{code message}}}",
};

export const SuiteRunPageDocument: TypedDocument<SuiteRunPageQuery, SuiteRunPageQueryVariables> = {
  name: 'SuiteRunPage',
  sha256: '27ce4f2492dcb6d61baeb09590aae92e1449cdfc85fe187dc28844d26fb87818',
  text: "query SuiteRunPage($id:UUID!){suiteRun(id:$id){...JudgedSuiteRun run{...RunSummary}baseline{id passRate completedAt run{id headSha pullRequest isBase}}}}fragment JudgedSuiteRun on SuiteRun{id suiteId suiteName suitePath agentName cellKey variant purpose status failureReason errorMessage totalCases openCases passedCases failedCases erroredCases skippedCases passRate passRateInterval{lo hi}verdictWord baselineSuiteRunId costUsd completedAt takenFrom{how runId suiteRunId pullRequest}verdict{word title paragraph lines newlyFailing flagged baselineLabel basePassRate headPassRate diffPoints ciLoPoints ciHiPoints measures{latencyMs{...SidesMeasured}tokens{...SidesMeasured}costUsd{...SidesMeasured}}unmeasured{metric measured wanted reason}judge{isMeasured isWeak labels agreement problem}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}fragment SidesMeasured on MeasureComparison{base{mean}head{mean}diffLo diffHi}",
};

export const CaseLinesDocument: TypedDocument<CaseLinesQuery, CaseLinesQueryVariables> = {
  name: 'CaseLines',
  sha256: 'a636994cdb6163a417803c5a2510990f3f10c7591fa552257137616a2ff40e29',
  text: "query CaseLines($id:UUID!$after:String$tag:String$difficulty:Difficulty$failedCheck:String){suiteRun(id:$id){cases(first:100 after:$after tag:$tag difficulty:$difficulty failedCheck:$failedCheck){edges{node{...CaseLine}}pageInfo{hasNextPage endCursor}}}}fragment CaseLine on CaseDifference{caseName p change isQuarantined notComparable changedParts head{passed scored status}base{passed scored status}}",
};

export const OpenCaseLinesDocument: TypedDocument<OpenCaseLinesQuery, OpenCaseLinesQueryVariables> = {
  name: 'OpenCaseLines',
  sha256: 'fa1aa17a0452621ae9b7c3e348fb4600af16d95131f0315c1ee6684f2f19ecac',
  text: "query OpenCaseLines($id:UUID!$after:String){suiteRun(id:$id){testRuns(first:100 after:$after){edges{node{id caseName repetition status}}pageInfo{hasNextPage endCursor}}}}",
};

export const CaseFactsDocument: TypedDocument<CaseFactsQuery, CaseFactsQueryVariables> = {
  name: 'CaseFacts',
  sha256: 'b194e62f41e69e95729159a0ea26e5cfc41362c0b2130df8b960253e8751cbe9',
  text: "query CaseFacts($suiteId:UUID!$after:String){suite(id:$suiteId){testCases(first:40 after:$after){edges{node{id name tags difficulty line flakiness history(first:10){edges{node{passed failed errored suiteRunId}}}}}pageInfo{hasNextPage endCursor}}}}",
};

export const SuiteRunDownloadDocument: TypedDocument<SuiteRunDownloadQuery, SuiteRunDownloadQueryVariables> = {
  name: 'SuiteRunDownload',
  sha256: '2ce050f8a9615f5b57898ec75fa8420876c0a0cd56418325a85a6c813a87ddfa',
  text: "query SuiteRunDownload($id:UUID!$format:DownloadFormat!){suiteRun(id:$id){download(format:$format){url}}}",
};

export const TestRunPlaceDocument: TypedDocument<TestRunPlaceQuery, TestRunPlaceQueryVariables> = {
  name: 'TestRunPlace',
  sha256: '6f0352ff8507b1c378984dfd7bbe15aecc2b26311fe6aeb6b8ee4c77bf68c8cb',
  text: "query TestRunPlace($id:UUID!){testRun(id:$id){id caseName repetition suiteRunId}}",
};

export const CaseOfSuiteRunDocument: TypedDocument<CaseOfSuiteRunQuery, CaseOfSuiteRunQueryVariables> = {
  name: 'CaseOfSuiteRun',
  sha256: '995a20075a2015aa4e977993c1330a83e0571b83a30b3254b4c3c5fac9874126',
  text: "query CaseOfSuiteRun($suiteRunId:UUID!$caseName:String!){suiteRun(id:$suiteRunId){id suiteId suiteName suitePath cellKey variant status run{...RunSummary}verdict{word flagged judge{path isMeasured isWeak labels agreement kappa tpr tnr problem}}testRuns(first:100 caseName:$caseName){edges{node{id repetition status}}}baseline{id run{id headSha pullRequest isBase}testRuns(first:100 caseName:$caseName){edges{node{id repetition status}}}}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
};

export const WholeTestRunDocument: TypedDocument<WholeTestRunQuery, WholeTestRunQueryVariables> = {
  name: 'WholeTestRun',
  sha256: 'f6dbf06dfe9f3a0f54bd615ebef8374ff52bdf32423dbc9e31b97b1a85093519',
  text: "query WholeTestRun($id:UUID!){testRun(id:$id){...WholeTestRun testCase{id line tags difficulty flakiness description groundTruth history(first:20){edges{node{passed failed errored isBase headSha endedAt suiteRunId}}}}}}fragment WholeTestRun on TestRun{id caseName caseKey caseHash repetition status attempt retryCount errorKind errorMessage skipReason degraded truncated testInput response model promptTokens completionTokens costUsd latencyMs executionTimeMs startedAt recordedFrom toolsMatched metricsPassed metricsTotal checks{index type status passed turn error details}toolCalls{id name args argsError result error durationMs source turn}metricResults{metricName kind score threshold scale passed error reasoning modelUsed evaluationTimeMs retryCount}outcomes{passed error score injectionAttempt criteria{id requirement status reasoning}}transcript{role text toolCallId}progress{state atMs}outcome resolvedVariables{values sources}}",
};

export const OtherSideDocument: TypedDocument<OtherSideQuery, OtherSideQueryVariables> = {
  name: 'OtherSide',
  sha256: '2ea3c8c5cc38170317e3c82675ba362cc2842e7371628c4657e796f6ba50ac79',
  text: "query OtherSide($id:UUID!){testRun(id:$id){...WholeTestRun}}fragment WholeTestRun on TestRun{id caseName caseKey caseHash repetition status attempt retryCount errorKind errorMessage skipReason degraded truncated testInput response model promptTokens completionTokens costUsd latencyMs executionTimeMs startedAt recordedFrom toolsMatched metricsPassed metricsTotal checks{index type status passed turn error details}toolCalls{id name args argsError result error durationMs source turn}metricResults{metricName kind score threshold scale passed error reasoning modelUsed evaluationTimeMs retryCount}outcomes{passed error score injectionAttempt criteria{id requirement status reasoning}}transcript{role text toolCallId}progress{state atMs}outcome resolvedVariables{values sources}}",
};

export const PageRepeatTestRunDocument: TypedDocument<PageRepeatTestRunMutation, PageRepeatTestRunMutationVariables> = {
  name: 'PageRepeatTestRun',
  sha256: 'a0415d73fe6e160f2f63256c725e1ed3cbf28b6c289d082f07510c57175fbbde',
  text: "mutation PageRepeatTestRun($input:RepeatTestRunInput!){repeatTestRun(input:$input){...on StartRunSuccess{run{id}}...on UserError{code message}}}",
};

export const SuiteTrendDocument: TypedDocument<SuiteTrendQuery, SuiteTrendQueryVariables> = {
  name: 'SuiteTrend',
  sha256: 'd6124ff76ccd1f464cbb3d6647ea952bc41de589cd9647f235334c2ec460b736',
  text: "query SuiteTrend($id:UUID!$cellKey:String$onlyBase:Boolean!$after:String){suite(id:$id){id name agentName path caseCount latest{cellKey}history(first:60 cellKey:$cellKey onlyBase:$onlyBase after:$after){edges{node{...CurvePoint costUsd latencyMs agentHash contentHash startedAt totalCases run{id headSha title pullRequest author createdBy triggeredBy}}}pageInfo{hasNextPage endCursor}}}flakyCases(first:20 suiteId:$id){caseName cellKey flakiness passed scored}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}",
};

export const ChangesBetweenDocument: TypedDocument<ChangesBetweenQuery, ChangesBetweenQueryVariables> = {
  name: 'ChangesBetween',
  sha256: '49a99e87ee713d69210f39590cd8218fedc7566ee6db64c1956592dc6d8eb488',
  text: "query ChangesBetween($from:UUID!$to:UUID!){run(id:$to){changes(base:$from){...ChangedText}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
};
