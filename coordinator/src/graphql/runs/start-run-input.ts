import { builder, type InputFields } from '../builder.ts';
import { enumOf, RunTriggerType } from '../words.ts';

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'What started the run. With a run token, what the issuer signed wins over what is given here.',
  fields: (t) => ({
    triggeredBy: t.field({ type: RunTriggerType, required: true, description: 'Who or what.' }),
    event: t.string({ description: 'The event of the forge, such as pull_request.' }),
    host: t.string({ description: 'The forge, such as github.com.' }),
    repositoryExternalId: t.string({ description: 'Number of the repository on the forge.' }),
    repositoryFullName: t.string({ description: 'Owner and name; display text only.' }),
    ref: t.string({ description: 'The ref of the event.' }),
    headSha: t.string({ description: 'The commit that is run.' }),
    baseSha: t.string({ description: 'The commit that the event compares it with.' }),
    pullRequest: t.int({ description: 'Number of the pull request.' }),
    author: t.string({ description: 'Login of the author; display text only.' }),
    workflowRunId: t.string({ description: 'The run of the workflow.' }),
    workflowRunAttempt: t.string({ description: 'Its attempt.' }),
    isFork: t.boolean({
      description: 'The head of the pull request stands in another repository: its results never become a base.',
    }),
  }),
});

export const FileInput = builder.inputType('FileInput', {
  description: 'A definition file of the repository, as it is at the commit.',
  fields: (t) => ({
    path: t.string({ required: true, description: 'From the root of the repository, with /.' }),
    text: t.string({ required: true, description: 'Its whole text.' }),
  }),
});

const CaseFileInput = builder.inputType('CaseFileInput', {
  description: 'A file of the repository that a case gives to the agent, by what is in it.',
  fields: (t) => ({
    path: t.string({ required: true, description: 'From the root of the repository, with /.' }),
    sha256: t.string({ required: true, description: 'SHA-256 of its content in small hexadecimal digits.' }),
  }),
});

const SelectionInput = builder.inputType('SelectionInput', {
  description: 'Which cases to run; an empty list selects all.',
  fields: (t) => ({
    cases: t.stringList({ description: 'Names of cases.' }),
    tags: t.stringList({ description: 'Cases with any of these tags.' }),
    difficulty: t.string({ description: 'normal or hard.' }),
    suites: t.stringList({ description: 'Names of suites.' }),
    unaffected: t.stringList({
      description: 'Names of suites that the change cannot affect: not run, and reported as such.',
    }),
  }),
});

const AssignmentInput = builder.inputType('AssignmentInput', {
  description: 'A variable as text, converted by the type of each test.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the variable.' }),
    text: t.string({ required: true, description: 'Its value as it was typed.' }),
  }),
});

const AxisInput = builder.inputType('AxisInput', {
  description: 'A variable of the matrix: every value is run with every value of the other axes.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the variable.' }),
    values: t.field({ type: ['JSON'], required: true, description: 'Texts, numbers or booleans.' }),
  }),
});

const OnErrorType = enumOf('OnError', 'What errors do to the conclusion.', {
  block: 'No verdict at all is a failure, any errored test run caps at neutral.',
  allow: 'No verdict is neutral, and errors cap nothing.',
});

const CommentModeType = enumOf('CommentMode', 'When the pull request gets a comment.', {
  regressions: 'When something regressed.',
  changes: 'When something changed.',
  always: 'Always.',
  off: 'Never.',
});

const BaselineModeType = enumOf('BaselineMode', 'What the run is compared with.', {
  auto: 'The best base run there is.',
  run: 'The same, and where none counts, the merge base is executed beside the head. Needs the App.',
  none: 'Nothing.',
});

const RunSettingsInput = builder.inputType('RunSettingsInput', {
  description: 'How the gate and the feedback behave; what is absent has its default.',
  fields: (t) => ({
    onError: t.field({ type: OnErrorType, description: 'Default BLOCK.' }),
    comment: t.field({ type: CommentModeType, description: 'Default CHANGES.' }),
    commentKey: t.string({ description: 'Another key is another comment; default pr.' }),
    checkName: t.string({ description: 'Name of the aggregate check; default proofmark.' }),
    minPassRate: t.float({ description: 'Overrides the gate of the suites, 0 to 100.' }),
    baseline: t.field({ type: BaselineModeType, description: 'Default AUTO.' }),
    reuse: t.boolean({ description: 'Whether results of equal content may be taken over; default true.' }),
    budgetUsd: t.float({ description: 'What the run may cost; absent: what proofmark.yaml says.' }),
    budgetTokens: t.int({ description: 'How many tokens it may use; absent: what proofmark.yaml says.' }),
  }),
});

const ReportedProblemInput = builder.inputType('ReportedProblemInput', {
  description: 'Something wrong that the caller found in the definitions of the commit.',
  fields: (t) => ({
    file: t.string({
      required: true,
      description: 'From the root of the repository; empty when it stands in no file.',
    }),
    line: t.int({ required: true, description: 'Line, from 1.' }),
    message: t.string({ required: true, description: 'What is wrong, and what to do.' }),
  }),
});

export const StartRunInputType = builder.inputType('StartRunInput', {
  description: 'One run: the files that define it, what is selected of them, and what started it.',
  fields: (t) => ({
    idempotencyKey: t.string({
      required: true,
      description: 'The same key is the same run. 1 to 200 printable ASCII characters.',
    }),
    trigger: t.field({ type: TriggerInput, required: true, description: 'What started it.' }),
    files: t.field({ type: [FileInput], required: true, description: 'Every definition file that the suites need.' }),
    suitePaths: t.stringList({ required: true, description: 'Which of the files are suites.' }),
    projectPath: t.string({ description: 'Which of the files is proofmark.yaml.' }),
    caseFiles: t.field({
      type: [CaseFileInput],
      description: 'The local files that cases name. What was not uploaded yet is asked for with MissingBlobs.',
    }),
    selection: t.field({ type: SelectionInput, description: 'Which cases to run; absent: all.' }),
    assignments: t.field({ type: [AssignmentInput], description: 'Variables as text.' }),
    variables: t.field({ type: 'JSON', description: 'Variables with typed values, name to value.' }),
    preset: t.string({ description: 'Name of a preset; single variables win over it.' }),
    matrix: t.field({ type: [AxisInput], description: 'Axes of the matrix.' }),
    repetitions: t.int({ description: 'Overrides the repetitions of the suites, 1 to 100.' }),
    settings: t.field({ type: RunSettingsInput, description: 'How the gate and the feedback behave.' }),
    notes: t.string({ description: 'Kept with the run.' }),
    invalid: t.field({
      type: [ReportedProblemInput],
      description:
        'Why the definitions cannot be run. Then nothing is, files may be empty, and the check of the commit ends as a failure with these on their lines.',
    }),
  }),
});

/** What a stored suite or test is run with. */
const values = (t: InputFields) => ({
  suiteId: t.field({ type: 'UUID', description: 'The suite. Give this or testCaseId.' }),
  testCaseId: t.field({
    type: 'UUID',
    description: 'A single test. It runs without its suite: values and matrix of the suite do not count.',
  }),
  selection: t.field({ type: SelectionInput, description: 'Which cases of the suite; absent: all.' }),
  assignments: t.field({ type: [AssignmentInput], description: 'Variables as text.' }),
  variables: t.field({ type: 'JSON', description: 'Variables with typed values, name to value: 0.5 is a number.' }),
  preset: t.string({ description: 'Name of a preset; single variables win over it.' }),
  matrix: t.field({ type: [AxisInput], description: 'Axes of the matrix.' }),
});

export const StoredValuesInputType = builder.inputType('StoredValuesInput', {
  description: 'Values for a stored suite or test.',
  fields: values,
});

export const StartStoredRunInputType = builder.inputType('StartStoredRunInput', {
  description: 'A run of a suite or of a single test that is stored here.',
  fields: (t) => ({
    idempotencyKey: t.string({
      required: true,
      description: 'The same key is the same run. 1 to 200 printable ASCII characters.',
    }),
    ...values(t),
    repetitions: t.int({ description: 'Overrides the repetitions of the suite, 1 to 100.' }),
    settings: t.field({ type: RunSettingsInput, description: 'How the gate behaves.' }),
    notes: t.string({ description: 'Kept with the run.' }),
  }),
});
