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
type AlertChannelKind =
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
type AlertKind =
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

/** A variable as text, converted by the type of each test. */
type AssignmentInput = {
  /** Name of the variable. */
  name: string;
  /** Its value as it was typed. */
  text: string;
};

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

/** Where a case is in its life. Only active cases run. */
type CaseStatus =
  /** It runs with its suite. */
  | 'ACTIVE'
  /** Kept, and run no more. */
  | 'ARCHIVED'
  /** It is being written and does not run. */
  | 'DRAFT';

/** What the token of a job has to say, else the job is refused. */
type ClaimPinInput = {
  /** Which claim of the token it is about. */
  claim: PinnedClaim;
  /** The text that it says; * at its end stands for anything. */
  value: string;
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

/** A repository whose jobs may start runs. */
type EnrollRepositoryInput = {
  /** Further branches whose runs others are compared with. Absent: those that are known stay. */
  baselineBranches?: Array<string> | null | undefined;
  /** The branch whose runs others are compared with. */
  defaultBranch?: string | null | undefined;
  /** Owner and name; display text only. */
  fullName?: string | null | undefined;
  /** The forge, such as github.com. */
  host: string;
  /** Number of its owner. Jobs of another owner are refused. */
  ownerId: string;
  /** OIDC token of a job of this repository, made for the audience of this coordinator. It is used up. Needed unless the tenant has the repository already, of the same owner. */
  proof?: string | null | undefined;
  /** Number of the repository on the forge. */
  repositoryId: string;
};

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

/** What somebody may be. It bounds what tokens and sessions of theirs may do. */
type Role =
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

/** What came of a time at which a suite was to run by itself. */
type ScheduleState =
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

/** Where the value of a setting comes from. */
type SettingSource =
  /** Nobody has said anything. */
  | 'DEFAULT'
  /** From a variable of the environment of the coordinator. */
  | 'ENVIRONMENT'
  /** It was stored with updateSetting. */
  | 'STORED';

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

/** Which suites; what is absent allows all. */
type SuiteFilter = {
  /** Those of this agent. */
  agentId?: string | null | undefined;
  /** Whether they run at all. */
  isEnabled?: boolean | null | undefined;
  /** Those of this name. */
  name?: string | null | undefined;
  /** Those of this repository. */
  repositoryId?: string | null | undefined;
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

/** What changes of a repository; what is absent stays. */
type UpdateRepositoryInput = {
  /** Further branches whose runs others are compared with. */
  baselineBranches?: Array<string> | null | undefined;
  /** All that tokens of its jobs have to say; empty: nothing. */
  claimPins?: Array<ClaimPinInput> | null | undefined;
  /** The branch whose runs others are compared with. */
  defaultBranch?: string | null | undefined;
  /** Id of the repository in this ledger. */
  id: string;
};

/** A setting and its new value. */
type UpdateSettingInput = {
  /** Name of the setting, such as test_suites.retention_days. */
  key: string;
  /** The value to store. Absent or null: nothing is stored any more. */
  value?: string | null | undefined;
};

/** What changes of the settings of a suite. */
type UpdateSuiteInput = {
  /** Whether a drop of the pass rate alerts. */
  alertOnRegression?: boolean | null | undefined;
  /** How many percentage points the pass rate may drop, 1 to 100. */
  alertThresholdPercent?: number | null | undefined;
  /** What it is for, in the words of its author. */
  description?: string | null | undefined;
  /** The model of semantic_similarity: aiConfiguration. */
  embedding?: unknown;
  /** Metrics of all cases: model, metrics. */
  evaluations?: unknown;
  /** When a run is red. */
  gate?: unknown;
  /** Id of the suite. */
  id: string;
  /** false keeps it from running. */
  isEnabled?: boolean | null | undefined;
  /** The model that judges: aiConfiguration, panel. */
  judge?: unknown;
  /** Variables with several values each; include and exclude beside them. */
  matrix?: unknown;
  /** How calls without a canned answer are treated. */
  mockSettings?: unknown;
  /** Canned answers of tools. */
  mocks?: unknown;
  /** Its name, unique for the agent. */
  name?: string | null | undefined;
  /** The pool of runners that executes it; absent: that of its AI configurations. */
  pool?: string | null | undefined;
  /** How often every case runs, 1 to 100. */
  repetitions?: number | null | undefined;
  /** A cron expression such as "30 2 * * 1-5", instead of scheduleType. */
  scheduleCron?: string | null | undefined;
  /** Day of a weekly suite, 0 is Sunday. */
  scheduleDayOfWeek?: number | null | undefined;
  /** Up to how many minutes later it may begin, 0 to 60. */
  scheduleJitterMinutes?: number | null | undefined;
  /** Time of day of a daily or weekly suite, UTC, such as 02:00. */
  scheduleTime?: string | null | undefined;
  /** Time zone of the schedule, such as Europe/Berlin; absent: UTC. */
  scheduleTimeZone?: string | null | undefined;
  /** manual, hourly, daily or weekly. */
  scheduleType?: string | null | undefined;
  /** The model that plays users: aiConfiguration, temperature, firstSpeaker, review. */
  simulator?: unknown;
  /** Which variables its cases have; absent: agent-eval. */
  testType?: string | null | undefined;
  /** Values for all its cases, variable to value. */
  variables?: unknown;
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

export type ChannelFieldsFragment = { id: string, name: string, kind: AlertChannelKind, url: string | null, recipients: Array<string>, events: Array<AlertKind>, isEnabled: boolean, quietFrom: string | null, quietUntil: string | null, timeZone: string | null, suite: { name: string } | null, repository: { fullName: string } | null };

export type ListChannelsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListChannelsQuery = { alertChannels: { edges: Array<{ node: { id: string, name: string, kind: AlertChannelKind, url: string | null, recipients: Array<string>, events: Array<AlertKind>, isEnabled: boolean, quietFrom: string | null, quietUntil: string | null, timeZone: string | null, suite: { name: string } | null, repository: { fullName: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateChannelMutationVariables = Exact<{
  input: CreateAlertChannelInput;
}>;


export type CreateChannelMutation = { createAlertChannel:
    | { signingSecret: string | null, alertChannel: { id: string, name: string, kind: AlertChannelKind } }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
   };

export type UpdateChannelMutationVariables = Exact<{
  input: UpdateAlertChannelInput;
}>;


export type UpdateChannelMutation = { updateAlertChannel:
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
    | { alertChannel: { id: string, name: string, kind: AlertChannelKind, url: string | null, recipients: Array<string>, events: Array<AlertKind>, isEnabled: boolean, quietFrom: string | null, quietUntil: string | null, timeZone: string | null, suite: { name: string } | null, repository: { fullName: string } | null } }
   };

export type DeleteChannelMutationVariables = Exact<{
  id: string;
}>;


export type DeleteChannelMutation = { deleteAlertChannel:
    | { id: string }
    | { __typename: 'NotFound', code: string, message: string }
   };

export type TestChannelMutationVariables = Exact<{
  id: string;
}>;


export type TestChannelMutation = { testAlertChannel:
    | { __typename: 'NotFound', code: string, message: string }
    | { alert: { id: string } }
   };

export type ListAlertsQueryVariables = Exact<{
  suiteId?: string | null | undefined;
  kind?: AlertKind | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListAlertsQuery = { alerts: { edges: Array<{ node: { id: string, kind: AlertKind, title: string, createdAt: string, endedAt: string | null, suiteName: string | null, cellKey: string, run: { id: string } | null, deliveries: Array<{ channel: string | null, channelId: string, state: AlertDeliveryState, reason: string | null, tries: number }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ApiTokensQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ApiTokensQuery = { apiTokens: { edges: Array<{ node: { id: string, name: string, scopes: Array<Scope>, login: string, repository: string | null, createdAt: string, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

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
    | { id: string }
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

export type ListSuitesQueryVariables = Exact<{
  filter?: SuiteFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListSuitesQuery = { suites: { edges: Array<{ node: { id: string, name: string, agentName: string, path: string | null, caseCount: number, isEnabled: boolean, scheduleType: string, scheduleTime: string | null, scheduleDayOfWeek: number | null, scheduleCron: string | null, scheduleTimeZone: string | null, scheduleJitterMinutes: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ListCasesOfSuiteQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListCasesOfSuiteQuery = { suite: { testCases: { edges: Array<{ node: { id: string, name: string, status: CaseStatus, isEnabled: boolean, difficulty: Difficulty, tags: Array<string> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type FindCasesQueryVariables = Exact<{
  name: string;
  suiteId?: string | null | undefined;
}>;


export type FindCasesQuery = { testCases: { edges: Array<{ node: { id: string, suite: { name: string } | null } }> } };

export type UpdateScheduleMutationVariables = Exact<{
  input: UpdateSuiteInput;
}>;


export type UpdateScheduleMutation = { updateSuite:
    | { __typename: 'InvalidDefinitions', code: string, message: string, problems: Array<{ severity: string, code: string, file: string, line: number, column: number, path: string, message: string, hint: string | null }> }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
    | { suite: { id: string, name: string, path: string | null, scheduleType: string, scheduleTime: string | null, scheduleDayOfWeek: number | null, scheduleCron: string | null, scheduleTimeZone: string | null, scheduleJitterMinutes: number } }
   };

export type ListScheduledRunsQueryVariables = Exact<{
  suiteId?: string | null | undefined;
  state?: ScheduleState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListScheduledRunsQuery = { scheduledRuns: { edges: Array<{ node: { dueAt: string, state: ScheduleState, reason: string | null, suiteId: string, suite: { name: string } | null, run: { id: string, verdictWord: VerdictWord | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type WriteRunNotesMutationVariables = Exact<{
  id: string;
  notes?: string | null | undefined;
}>;


export type WriteRunNotesMutation = { updateRunNotes:
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
    | { run: { id: string, notes: string | null } }
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

export type ListPeopleQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListPeopleQuery = { people: { edges: Array<{ node: { id: string, login: string, displayName: string | null, kind: PrincipalKind, role: Role, disabledAt: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type MadePersonFragment = { person: { id: string, login: string, role: Role } };

export type CreatePersonMutationVariables = Exact<{
  input: CreatePersonInput;
}>;


export type CreatePersonMutation = { createPerson:
    | { person: { id: string, login: string, role: Role } }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
   };

export type CreateServiceMutationVariables = Exact<{
  input: CreatePersonInput;
}>;


export type CreateServiceMutation = { createService:
    | { person: { id: string, login: string, role: Role } }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
   };

export type ChangePersonMutationVariables = Exact<{
  id: string;
  role?: Role | null | undefined;
  isDisabled?: boolean | null | undefined;
}>;


export type ChangePersonMutation = { changePerson:
    | { person: { id: string, login: string, role: Role, disabledAt: string | null } }
    | { __typename: 'NotAllowed', code: string, message: string }
    | { __typename: 'NotFound', code: string, message: string }
   };

export type CreateTenantMutationVariables = Exact<{
  name: string;
}>;


export type CreateTenantMutation = { createTenant:
    | { tenant: string, tenantId: string, token: string }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotAllowed', code: string, message: string }
   };

export type ListSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListSettingsQuery = { settings: Array<{ key: string, value: string, source: SettingSource, description: string, warning: string | null }> };

export type UpdateSettingMutationVariables = Exact<{
  input: UpdateSettingInput;
}>;


export type UpdateSettingMutation = { updateSetting:
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { setting: { key: string, value: string, source: SettingSource } }
   };

export type RepositoryFieldsFragment = { id: string, host: string, fullName: string, defaultBranch: string | null, baselineBranches: Array<string>, claimPins: Array<{ claim: PinnedClaim, value: string }> };

export type ListRepositoriesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListRepositoriesQuery = { repositories: { edges: Array<{ node: { id: string, host: string, fullName: string, defaultBranch: string | null, baselineBranches: Array<string>, claimPins: Array<{ claim: PinnedClaim, value: string }> } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type UpdateRepositoryMutationVariables = Exact<{
  input: UpdateRepositoryInput;
}>;


export type UpdateRepositoryMutation = { updateRepository:
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotFound', code: string, message: string }
    | { repository: { id: string, host: string, fullName: string, defaultBranch: string | null, baselineBranches: Array<string>, claimPins: Array<{ claim: PinnedClaim, value: string }> } }
   };

export type EnrollRepositoryMutationVariables = Exact<{
  input: EnrollRepositoryInput;
}>;


export type EnrollRepositoryMutation = { enrollRepository:
    | { repository: { id: string, host: string, fullName: string, defaultBranch: string | null, baselineBranches: Array<string>, claimPins: Array<{ claim: PinnedClaim, value: string }> } }
    | { __typename: 'InvalidInput', code: string, message: string, arguments: Array<{ path: string, message: string }> }
    | { __typename: 'NotAllowed', code: string, message: string }
   };

export type ListRunnersQueryVariables = Exact<{ [key: string]: never; }>;


export type ListRunnersQuery = { runners: Array<{ id: string, version: string, pools: Array<string>, slots: number, heldTestRuns: number, since: string, runIds: Array<string> }> };

export type ListAuditQueryVariables = Exact<{
  filter?: AuditFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListAuditQuery = { audit: { edges: Array<{ node: { id: string, at: string, login: string | null, token: string | null, action: string, subject: string, names: Array<string>, total: number, changes: unknown } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

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

export const ListChannelsDocument: TypedDocument<ListChannelsQuery, ListChannelsQueryVariables> = {
  name: 'ListChannels',
  sha256: 'ff2cadb6987603cd6d1f5c4e9551a11bfdcf71fcc86549f8d6bad0262f3d8f01',
  text: "query ListChannels($first:Int$after:String){alertChannels(first:$first after:$after){edges{node{...ChannelFields}}pageInfo{hasNextPage endCursor}}}fragment ChannelFields on AlertChannel{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{name}repository{fullName}}",
};

export const CreateChannelDocument: TypedDocument<CreateChannelMutation, CreateChannelMutationVariables> = {
  name: 'CreateChannel',
  sha256: '9dc3c8d50f5a02ddec826fe8431598dc160e4463c961b5b9e75a4b105503df18',
  text: "mutation CreateChannel($input:CreateAlertChannelInput!){createAlertChannel(input:$input){...Refused ...on CreateAlertChannelSuccess{signingSecret alertChannel{id name kind}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const UpdateChannelDocument: TypedDocument<UpdateChannelMutation, UpdateChannelMutationVariables> = {
  name: 'UpdateChannel',
  sha256: 'a07b68141335235d04d6576798a2da97ce412ff29b4888cc1c7302af7912572d',
  text: "mutation UpdateChannel($input:UpdateAlertChannelInput!){updateAlertChannel(input:$input){...Refused ...on UpdateAlertChannelSuccess{alertChannel{...ChannelFields}}}}fragment ChannelFields on AlertChannel{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{name}repository{fullName}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const DeleteChannelDocument: TypedDocument<DeleteChannelMutation, DeleteChannelMutationVariables> = {
  name: 'DeleteChannel',
  sha256: '17876eeeb120aa84cdcd6c215e68c23c41a3e04f616588bf6c1d202226822900',
  text: "mutation DeleteChannel($id:UUID!){deleteAlertChannel(id:$id){...Refused ...on DeleteAlertChannelSuccess{id}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const TestChannelDocument: TypedDocument<TestChannelMutation, TestChannelMutationVariables> = {
  name: 'TestChannel',
  sha256: 'f60f58e1a1933e0b67b47de2fc65076cd1079206fc3bcd339da24bd891ab6acf',
  text: "mutation TestChannel($id:UUID!){testAlertChannel(id:$id){...Refused ...on TestAlertChannelSuccess{alert{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const ListAlertsDocument: TypedDocument<ListAlertsQuery, ListAlertsQueryVariables> = {
  name: 'ListAlerts',
  sha256: 'cb28ed48544f3675632d29f733967b1e83e5ea664051b63eaa19e8317ef71150',
  text: "query ListAlerts($suiteId:UUID$kind:AlertKind$first:Int$after:String){alerts(suiteId:$suiteId kind:$kind first:$first after:$after){edges{node{id kind title createdAt endedAt suiteName cellKey run{id}deliveries{channel channelId state reason tries}}}pageInfo{hasNextPage endCursor}}}",
};

export const ApiTokensDocument: TypedDocument<ApiTokensQuery, ApiTokensQueryVariables> = {
  name: 'ApiTokens',
  sha256: 'dce9b9358307072ad937ca7b5d2b1c7b14d59d0d0f6a61af49eb85cb897668cf',
  text: "query ApiTokens($first:Int$after:String){apiTokens(first:$first after:$after){edges{node{id name scopes login repository createdAt expiresAt revokedAt lastUsedAt}}pageInfo{hasNextPage endCursor}}}",
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
  sha256: '0c1669b7963ac8f78849caa9855b4fbda9f46ae2a58fa6b70f638dda7bd6abdf',
  text: "mutation RevokeApiToken($id:UUID!){revokeApiToken(id:$id){...Refused ...on RevokeApiTokenSuccess{id}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
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

export const ListSuitesDocument: TypedDocument<ListSuitesQuery, ListSuitesQueryVariables> = {
  name: 'ListSuites',
  sha256: '7a966f3ad4842c704f8a6ecb2cade162af0bc4464efcf05570e1025fe2107727',
  text: "query ListSuites($filter:SuiteFilter$first:Int$after:String){suites(filter:$filter first:$first after:$after){edges{node{id name agentName path caseCount isEnabled scheduleType scheduleTime scheduleDayOfWeek scheduleCron scheduleTimeZone scheduleJitterMinutes}}pageInfo{hasNextPage endCursor}}}",
};

export const ListCasesOfSuiteDocument: TypedDocument<ListCasesOfSuiteQuery, ListCasesOfSuiteQueryVariables> = {
  name: 'ListCasesOfSuite',
  sha256: 'c0b2aab6d9033d80b550354496936157eb64cdbe902e524aa780d1dc82fac4e9',
  text: "query ListCasesOfSuite($id:UUID!$first:Int$after:String){suite(id:$id){testCases(first:$first after:$after){edges{node{id name status isEnabled difficulty tags}}pageInfo{hasNextPage endCursor}}}}",
};

export const FindCasesDocument: TypedDocument<FindCasesQuery, FindCasesQueryVariables> = {
  name: 'FindCases',
  sha256: '654e0854c728c7404f1399a96906c256a060c34dab7aef386218997a1fde41f8',
  text: "query FindCases($name:String!$suiteId:UUID){testCases(filter:{name:$name suiteId:$suiteId}first:10){edges{node{id suite{name}}}}}",
};

export const UpdateScheduleDocument: TypedDocument<UpdateScheduleMutation, UpdateScheduleMutationVariables> = {
  name: 'UpdateSchedule',
  sha256: '0c3c8451cdda7e663e5109d84067426991b522e9a9963f5b445bb80ab91b593a',
  text: "mutation UpdateSchedule($input:UpdateSuiteInput!){updateSuite(input:$input){...Refused ...on UpdateSuiteSuccess{suite{id name path scheduleType scheduleTime scheduleDayOfWeek scheduleCron scheduleTimeZone scheduleJitterMinutes}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const ListScheduledRunsDocument: TypedDocument<ListScheduledRunsQuery, ListScheduledRunsQueryVariables> = {
  name: 'ListScheduledRuns',
  sha256: 'f2809ff887786a076a92b2eb816aab7d6bd6fd269ce22dcec65b8717c401a811',
  text: "query ListScheduledRuns($suiteId:UUID$state:ScheduleState$first:Int$after:String){scheduledRuns(suiteId:$suiteId state:$state first:$first after:$after){edges{node{dueAt state reason suiteId suite{name}run{id verdictWord}}}pageInfo{hasNextPage endCursor}}}",
};

export const WriteRunNotesDocument: TypedDocument<WriteRunNotesMutation, WriteRunNotesMutationVariables> = {
  name: 'WriteRunNotes',
  sha256: 'c96d91980fc7f00be4afcce9a7ecdd487511e850071f933fb85cbba75cc73d5b',
  text: "mutation WriteRunNotes($id:UUID!$notes:String){updateRunNotes(id:$id notes:$notes){...Refused ...on UpdateRunNotesSuccess{run{id notes}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
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

export const ListPeopleDocument: TypedDocument<ListPeopleQuery, ListPeopleQueryVariables> = {
  name: 'ListPeople',
  sha256: '17d3eef364445bbcce0844533fbb0b24c854cff8909acf5412dea5cfd23799de',
  text: "query ListPeople($first:Int$after:String){people(first:$first after:$after){edges{node{id login displayName kind role disabledAt}}pageInfo{hasNextPage endCursor}}}",
};

export const CreatePersonDocument: TypedDocument<CreatePersonMutation, CreatePersonMutationVariables> = {
  name: 'CreatePerson',
  sha256: '301aef61fb12289c2f681d53e7c2c626344f5ace8e590adde3eaf7dcd9e322ce',
  text: "mutation CreatePerson($input:CreatePersonInput!){createPerson(input:$input){...Refused ...MadePerson}}fragment FileProblem on Problem{severity code file line column path message hint}fragment MadePerson on CreatePersonSuccess{person{id login role}}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const CreateServiceDocument: TypedDocument<CreateServiceMutation, CreateServiceMutationVariables> = {
  name: 'CreateService',
  sha256: '14037693cfc452aa0f7514599bbf5456a939045aed4828bd7ed55088569eebd6',
  text: "mutation CreateService($input:CreatePersonInput!){createService(input:$input){...Refused ...MadePerson}}fragment FileProblem on Problem{severity code file line column path message hint}fragment MadePerson on CreatePersonSuccess{person{id login role}}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const ChangePersonDocument: TypedDocument<ChangePersonMutation, ChangePersonMutationVariables> = {
  name: 'ChangePerson',
  sha256: '9b484e109c9c7149c9732c63956936d5a6c116a828d7f96b946fff35705f56fb',
  text: "mutation ChangePerson($id:UUID!$role:Role$isDisabled:Boolean){changePerson(id:$id role:$role isDisabled:$isDisabled){...Refused ...on ChangePersonSuccess{person{id login role disabledAt}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const CreateTenantDocument: TypedDocument<CreateTenantMutation, CreateTenantMutationVariables> = {
  name: 'CreateTenant',
  sha256: '4cfca03b85e543285cca98b885de1acec698add0670bb44d1a0b36fe05deb3cc',
  text: "mutation CreateTenant($name:String!){createTenant(name:$name){...Refused ...on CreateTenantSuccess{tenant tenantId token}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const ListSettingsDocument: TypedDocument<ListSettingsQuery, ListSettingsQueryVariables> = {
  name: 'ListSettings',
  sha256: '2071e032714cffcf6ede0cc251a5cfa531886d99f785f4e399662c9fade048da',
  text: "query ListSettings{settings{key value source description warning}}",
};

export const UpdateSettingDocument: TypedDocument<UpdateSettingMutation, UpdateSettingMutationVariables> = {
  name: 'UpdateSetting',
  sha256: '2566181e0db2b67e9ffb8fc2a3fc77823ca57309dc70ba35eff2e4ff077317e1',
  text: "mutation UpdateSetting($input:UpdateSettingInput!){updateSetting(input:$input){...Refused ...on UpdateSettingSuccess{setting{key value source}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
};

export const ListRepositoriesDocument: TypedDocument<ListRepositoriesQuery, ListRepositoriesQueryVariables> = {
  name: 'ListRepositories',
  sha256: 'ecbfb00c32f224a6d29effb52cc2e79e3128560362514aa3360369cefd4a7892',
  text: "query ListRepositories($first:Int$after:String){repositories(first:$first after:$after){edges{node{...RepositoryFields}}pageInfo{hasNextPage endCursor}}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
};

export const UpdateRepositoryDocument: TypedDocument<UpdateRepositoryMutation, UpdateRepositoryMutationVariables> = {
  name: 'UpdateRepository',
  sha256: 'b8862a8d0273b9b4db77805f1b329f4e33e6d8383e1a91118d28e041c2e3fe63',
  text: "mutation UpdateRepository($input:UpdateRepositoryInput!){updateRepository(input:$input){...Refused ...on UpdateRepositorySuccess{repository{...RepositoryFields}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
};

export const EnrollRepositoryDocument: TypedDocument<EnrollRepositoryMutation, EnrollRepositoryMutationVariables> = {
  name: 'EnrollRepository',
  sha256: 'd3a2b3cf7943866c20e1c195fbb0bb6a9a1147f77702239c4333da14c3a69bb8',
  text: "mutation EnrollRepository($input:EnrollRepositoryInput!){enrollRepository(input:$input){...Refused ...on EnrollRepositorySuccess{repository{...RepositoryFields}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
};

export const ListRunnersDocument: TypedDocument<ListRunnersQuery, ListRunnersQueryVariables> = {
  name: 'ListRunners',
  sha256: 'ac00c27bd41f91492818f98bcbd94b422518ac59ce2db0fd804478707a1726d4',
  text: "query ListRunners{runners{id version pools slots heldTestRuns since runIds}}",
};

export const ListAuditDocument: TypedDocument<ListAuditQuery, ListAuditQueryVariables> = {
  name: 'ListAudit',
  sha256: 'a45fdfbea4a70062097768eb9b100022b3bc51e0ad23c9d12f4fd392271ec313',
  text: "query ListAudit($filter:AuditFilter$first:Int$after:String){audit(filter:$filter first:$first after:$after){edges{node{id at login token action subject names total changes}}pageInfo{hasNextPage endCursor}}}",
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
