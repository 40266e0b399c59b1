import { z } from 'zod';
import { VariableValue } from '../definitions/variables.ts';
import { FileContent } from './file-content.ts';

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
  z.strictObject({
    state: z.literal('awaited'),
    /** Who agreed last, and why nothing was started all the same. */
    refusal: z.strictObject({ by: name, why: text }).optional(),
  }),
  z.strictObject({ state: z.literal('given'), by: name }),
]);

/** What started the run. All but the first are null when there is none. */
export const Trigger = z.strictObject({
  triggeredBy: z.enum(['manual', 'schedule', 'ci', 'api']),
  event: name.nullable().default(null),
  host: name.nullable().default(null),
  repositoryExternalId: digits.nullable().default(null),
  repositoryFullName: name.nullable().default(null),
  ref: name.nullable().default(null),
  headSha: sha.nullable().default(null),
  baseSha: sha.nullable().default(null),
  pullRequest: z.int().min(1).max(2_147_483_647).nullable().default(null),
  author: name.nullable().default(null),
  workflowRunId: digits.nullable().default(null),
  workflowRunAttempt: digits.nullable().default(null),
  /** The head stands in another repository: nothing of such a run becomes a base. Absent: as far as the caller knows, no. */
  isFork: z.boolean().optional(),
  /** Absent: nobody had to be asked. No caller can say this of his own run. */
  approval: Approval.optional(),
});
export type Trigger = z.infer<typeof Trigger>;

export const Selection = z.strictObject({
  cases: z.array(name).max(10_000).default([]),
  tags: z.array(name).max(1_000).default([]),
  difficulty: z.enum(['normal', 'hard']).nullable().default(null),
  suites: z.array(name).max(1_000).default([]),
  /** Of these the caller found out that the change cannot affect them: they are told as such, and not run. */
  unaffected: z.array(name).max(500).default([]),
});
export type Selection = z.infer<typeof Selection>;

export const RunSettings = z.strictObject({
  onError: z.enum(['block', 'allow']).default('block'),
  comment: z.enum(['regressions', 'changes', 'always', 'off']).default('changes'),
  commentKey: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default('pr'),
  checkName: name.max(100).default('proofmark'),
  minPassRate: z.number().min(0).max(100).nullable().default(null),
  /** `run`: as `auto`, and where no base run counts, the merge base is executed beside the head. */
  baseline: z.enum(['auto', 'run', 'none']).default('auto'),
  /** Whether results of equal content may be taken over. */
  reuse: z.boolean().default(true),
  /** Null: what `proofmark.yaml` says. */
  budgetUsd: z.number().positive().max(1_000_000).nullable().default(null),
  budgetTokens: z.int().positive().nullable().default(null),
});
export type RunSettings = z.infer<typeof RunSettings>;

/** Something wrong that the caller found in the definitions of the commit. */
const ReportedProblem = z.strictObject({
  /** Empty: it stands in no file. */
  file: z.union([path, z.literal('')]),
  line: z.int().min(1).max(2_147_483_647),
  message: text.min(1).max(4_000),
});

/** One run: the files that define it, what of them is selected, and what started it. */
const StartRunShape = z.strictObject({
  /** The same key is the same run. */
  idempotencyKey: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters'),
  trigger: Trigger,
  files: z.array(z.strictObject({ path, text })).max(2_000),
  suitePaths: z.array(path).max(500),
  projectPath: path.nullable().default(null),
  /** What is in the local files of the cases; uploaded beforehand, or when the answer says that they are missing. */
  caseFiles: z.array(FileContent.extend({ path })).max(10_000).default([]),
  selection: Selection.prefault({}),
  /** Values as text, which each suite converts by its own test type. */
  assignments: z.array(z.strictObject({ name, text })).max(200).default([]),
  variables: z.record(name, VariableValue).default({}),
  preset: name.nullable().default(null),
  matrix: z
    .array(z.strictObject({ name, values: z.array(VariableValue).min(1).max(1_000) }))
    .max(20)
    .default([]),
  repetitions: z.int().min(1).max(100).nullable().default(null),
  settings: RunSettings.prefault({}),
  notes: text.max(10_000).nullable().default(null),
  /** Given: nothing can be run, and the check of the commit says why. A required check would else wait for ever. */
  invalid: z.array(ReportedProblem).min(1).max(1_000).optional(),
});

/** What has to be there of a run that can be run. */
const Runnable = z.object({ files: z.array(z.unknown()).min(1), suitePaths: z.array(z.unknown()).min(1) });

export const StartRunInput = StartRunShape.superRefine((input, context) => {
  const read = input.invalid === undefined ? Runnable.safeParse(input) : null;
  for (const issue of read?.error?.issues ?? []) context.addIssue({ ...issue });
});
export type StartRunInput = z.infer<typeof StartRunInput>;
