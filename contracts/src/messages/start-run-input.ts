import { z } from 'zod';
import { VariableValue } from '../definitions/variables.ts';
import { Difficulty, RunTrigger } from '../definitions/words.ts';
import { FileContent } from './file-content.ts';

// This is the one declaration of the request that starts a run. Its `meta` is what GraphQL says: `title` is the name of the
// input type, `about` its sentence, `description` the sentence of a field. What is `internal` no caller can give.
// GraphQL refuses fields that nobody knows. A run keeps what was asked for, and a coordinator of an older version that reads
// it leaves out what a newer one has added, so that going back to the older one works.

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const text = z.string().refine(storable, 'holds NUL or half a surrogate pair');
const name = text.min(1).max(255);
const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be a full commit id');
const digits = z.string().regex(/^\d{1,20}$/, 'must be the number of the forge');
const path = text
  .max(1_024)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]+$/, 'must be a path below the root of the repository, with /');

/** Whether a maintainer let a commit be run that comes from somebody without rights. */
const Approval = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('awaited'),
    /** Who agreed last, and why nothing was started all the same. */
    refusal: z.object({ by: name, why: text }).optional(),
  }),
  z.object({ state: z.literal('given'), by: name }),
]);

/** What started the run. All but the first are null when there is none. */
export const Trigger = z
  .object({
    triggeredBy: RunTrigger.meta({ title: 'RunTrigger', description: 'Who or what started it.' }),
    event: name.nullable().default(null).describe('The event of the forge, such as pull_request.'),
    host: name.nullable().default(null).describe('The forge, such as github.com.'),
    repositoryExternalId: digits.nullable().default(null).describe('Number of the repository on the forge.'),
    repositoryFullName: name.nullable().default(null).describe('Owner and name; display text only.'),
    ref: name.nullable().default(null).describe('The ref of the event.'),
    headSha: sha.nullable().default(null).describe('The commit that is run.'),
    baseSha: sha.nullable().default(null).describe('The commit that the event compares it with.'),
    pullRequest: z.int().min(1).max(2_147_483_647).nullable().default(null).describe('Number of the pull request.'),
    author: name.nullable().default(null).describe('Login of the author; display text only.'),
    title: text
      .max(1_000)
      .nullable()
      .default(null)
      .describe('Title of the pull request; display text only. Another one makes no other run.'),
    workflowRunId: digits.nullable().default(null).describe('The run of the workflow.'),
    workflowRunAttempt: digits.nullable().default(null).describe('Which attempt of it this is.'),
    /** Absent: as far as the caller knows, no. */
    isFork: z
      .boolean()
      .optional()
      .describe('The head of the pull request stands in another repository: its results never become a base.'),
    /** Absent: nobody had to be asked. */
    approval: Approval.optional().meta({ internal: true }),
  })
  .meta({
    title: 'TriggerInput',
    about: 'What started the run. With a run token, what the issuer signed wins over what is given here.',
    description: 'What the run was started by.',
  });
export type Trigger = z.infer<typeof Trigger>;

export const Selection = z
  .object({
    cases: z.array(name).max(10_000).default([]).describe('Names of the cases to run.'),
    tags: z.array(name).max(1_000).default([]).describe('Cases with any of these tags.'),
    difficulty: Difficulty.nullable().default(null).describe('Only cases of this difficulty: normal or hard.'),
    suites: z.array(name).max(1_000).default([]).describe('Names of the suites to run.'),
    unaffected: z
      .array(name)
      .max(500)
      .default([])
      .describe('Names of suites that the change cannot affect: not run, and reported as such.'),
  })
  .meta({ title: 'SelectionInput', about: 'Which cases to run; an empty list selects all.' });
export type Selection = z.infer<typeof Selection>;

export const RunSettings = z
  .object({
    onError: z
      .enum(['block', 'allow'])
      .default('block')
      .meta({ title: 'OnError', description: 'What test runs without a result do to the check; absent: BLOCK.' }),
    comment: z
      .enum(['regressions', 'changes', 'always', 'off'])
      .default('changes')
      .meta({ title: 'CommentMode', description: 'When the comment is written; absent: CHANGES.' }),
    commentKey: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .default('pr')
      .describe('Another key is another comment; default pr.'),
    checkName: name.max(100).default('proofmark').describe('Name of the aggregate check; default proofmark.'),
    minPassRate: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .default(null)
      .describe('Overrides the gate of the suites, 0 to 100.'),
    baseline: z
      .enum(['auto', 'run', 'none'])
      .default('auto')
      .meta({ title: 'BaselineMode', description: 'What the run is compared with; absent: AUTO.' }),
    reuse: z.boolean().default(true).describe('Whether results of equal content may be taken over; default true.'),
    budgetUsd: z
      .number()
      .positive()
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe('What the run may cost; absent: what proofmark.yaml says.'),
    budgetTokens: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('How many tokens it may use; absent: what proofmark.yaml says.'),
  })
  .meta({
    title: 'RunSettingsInput',
    about: 'How the gate and the feedback behave; what is absent has its default.',
  });
export type RunSettings = z.infer<typeof RunSettings>;

const ReportedProblem = z
  .object({
    file: z.union([path, z.literal('')]).describe('From the root of the repository; empty when it stands in no file.'),
    line: z.int().min(1).max(2_147_483_647).describe('Number of the line, from 1.'),
    message: text.min(1).max(4_000).describe('What is wrong, and what to do.'),
  })
  .meta({
    title: 'ReportedProblemInput',
    about: 'Something wrong that the caller found in the definitions of the commit.',
  });

const DefinitionFile = z
  .object({
    path: path.describe('From the root of the repository, with /.'),
    text: text.describe('The whole text of the file.'),
  })
  .meta({ title: 'FileInput', about: 'A definition file of the repository, as it is at the commit.' });

const CaseFile = z
  .object({
    path: path.describe('From the root of the repository, with /.'),
    sha256: FileContent.shape.sha256.describe('SHA-256 of its content in small hexadecimal digits.'),
  })
  .meta({
    title: 'CaseFileInput',
    about: 'A file of the repository that a case gives to the agent, by what is in it.',
  });

const Assignment = z
  .object({
    name: name.describe('Name of the variable.'),
    text: text.describe('Its value as it was typed.'),
  })
  .meta({ title: 'AssignmentInput', about: 'A variable as text, converted by the type of each test.' });

const Axis = z
  .object({
    name: name.describe('Name of the variable.'),
    values: z.array(VariableValue).min(1).max(1_000).describe('Texts, numbers or booleans.'),
  })
  .meta({
    title: 'AxisInput',
    about: 'A variable of the matrix: every value is run with every value of the other axes.',
  });

const ComparedSide = z
  .object({
    agentPath: path
      .nullable()
      .default(null)
      .describe('Which of the files is its agent; absent: the agent of each suite.'),
    assignments: z.array(Assignment).max(200).default([]).describe('Variables of this side alone, as text.'),
    preset: name.nullable().default(null).describe('Name of a preset of this side alone.'),
  })
  .meta({ title: 'ComparedSideInput', about: 'What one side of a comparison has that its suites do not say.' });

/** Two agents on the same questions, instead of a change and what came before it. */
const Comparison = z
  .object({
    baseline: ComparedSide.prefault({}).describe('The suite runs of the variant BASELINE.'),
    candidate: ComparedSide.prefault({}).describe('The suite runs of the variant CANDIDATE.'),
  })
  .meta({
    title: 'ComparisonInput',
    about: 'Two agents that are asked the same questions; each suite is run once for each of them.',
  });

const StartRunShape = z
  .strictObject({
    idempotencyKey: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters')
      .describe('The same key is the same run. 1 to 200 printable ASCII characters.'),
    trigger: Trigger,
    files: z.array(DefinitionFile).max(2_000).describe('Every definition file that the suites need.'),
    suitePaths: z.array(path).max(500).describe('Which of the files are suites.'),
    projectPath: path.nullable().default(null).describe('Which of the files is proofmark.yaml.'),
    caseFiles: z
      .array(CaseFile)
      .max(10_000)
      .default([])
      .describe('The local files that cases name. What was not uploaded yet is asked for with MissingBlobs.'),
    selection: Selection.prefault({}).describe('Which cases to run; absent: all.'),
    assignments: z
      .array(Assignment)
      .max(200)
      .default([])
      .describe('Values as text, to be read by the type of their variable.'),
    variables: z.record(name, VariableValue).default({}).describe('Variables with typed values, name to value.'),
    preset: name.nullable().default(null).describe('Name of a preset; single variables win over it.'),
    matrix: z.array(Axis).max(20).default([]).describe('Axes of the matrix.'),
    repetitions: z
      .int()
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe('Overrides the repetitions of the suites, 1 to 100.'),
    settings: RunSettings.prefault({}).describe('How the gate and the feedback behave.'),
    comparison: Comparison.optional().describe('Two agents side by side. It belongs to no commit of a repository.'),
    rescores: z
      .uuid()
      .optional()
      .describe(
        'Another run, whose stored answers are judged by these definitions: no agent is asked. At most 10,000 answers, and 32 MiB. It belongs to no commit of a repository.',
      ),
    notes: text.max(10_000).nullable().default(null).describe('Kept with the run.'),
    /** A required check would else wait for ever. */
    invalid: z
      .array(ReportedProblem)
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Why the definitions cannot be run. Then nothing is, files may be empty, and the check of the commit ends as a failure with these on their lines.',
      ),
  })
  .meta({
    title: 'StartRunInput',
    about: 'One run: the files that define it, what is selected of them, and what started it.',
  });

/** What has to be there of a run that can be run. */
const Runnable = z.object({ files: z.array(z.unknown()).min(1), suitePaths: z.array(z.unknown()).min(1) });

/**
 * What is asked for although a run of a commit may not be it. A job speaks for its commit also where it names none, so this is
 * asked again of what its token says.
 */
export function whatHasNoCommit(
  { comparison, rescores }: Pick<z.output<typeof StartRunShape>, 'comparison' | 'rescores'>,
  { repositoryExternalId }: Pick<z.output<typeof StartRunShape>['trigger'], 'repositoryExternalId'>,
): { path: string; message: string }[] {
  if (repositoryExternalId === null) return [];
  const notHere =
    'belongs to no commit of a repository: start it with an API token, and leave the repository out of the trigger';
  return [
    ...(comparison === undefined ? [] : [{ path: 'comparison', message: `A comparison ${notHere}` }]),
    ...(rescores === undefined ? [] : [{ path: 'rescores', message: `A run on stored answers ${notHere}` }]),
  ];
}

export const StartRunInput = StartRunShape.superRefine((input, context) => {
  const read = input.invalid === undefined ? Runnable.safeParse(input) : null;
  for (const issue of read?.error?.issues ?? []) context.addIssue({ ...issue });
  for (const { path, message } of whatHasNoCommit(input, input.trigger)) {
    context.addIssue({ code: 'custom', path: [path], message });
  }
  if (input.rescores === undefined) return;
  if (input.comparison !== undefined) {
    const message = 'Either two agents are compared, or the answers of another run are judged';
    context.addIssue({ code: 'custom', path: ['rescores'], message });
  }
});
export type StartRunInput = z.infer<typeof StartRunInput>;

/** What a caller sends: what has a default may be absent, and the words of enumerations are those of GraphQL. */
export type StartRequest = Wire<z.input<typeof StartRunShape>>;

/** `difficulty` is a text in GraphQL. */
type Wire<Value> = Value extends string
  ? string extends Value
    ? Value
    : Uppercase<Value>
  : Value extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? {
          [Key in keyof Value as Key extends 'approval' ? never : Key]: Key extends 'difficulty'
            ? Value[Key]
            : Wire<Value[Key]>;
        }
      : Value;
