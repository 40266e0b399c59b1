import { z } from 'zod';
import { JsonPath } from './json-path.ts';
import { compilePattern } from './pattern.ts';
import { RepositoryFile } from './repository-path.ts';
import { Headers, SecretName } from './service.ts';
import { FreeForm, HttpUrl, JsonData, KeyName, refusal, VisibleText } from './texts.ts';

const phrases = z.array(VisibleText).min(1).max(100).describe('Texts to look for.');
const caseSensitive = (fallback: boolean) =>
  z.boolean().default(fallback).describe('Whether upper and lower case differ.');

export const ContainsPhrasesCheck = z.strictObject({
  type: z.literal('contains_phrases').describe('Every phrase occurs in the response.'),
  phrases,
  case_sensitive: caseSensitive(false),
});
export type ContainsPhrasesCheck = z.infer<typeof ContainsPhrasesCheck>;

export const SemanticSimilarityCheck = z.strictObject({
  type: z.literal('semantic_similarity').describe('The response means the same as an expected answer, by embeddings.'),
  expected_answer: VisibleText.describe('The answer to compare with.'),
  threshold: z.number().min(0).max(1).describe('The lowest similarity that passes.'),
});
export type SemanticSimilarityCheck = z.infer<typeof SemanticSimilarityCheck>;

export const LlmJudgeCheck = z.strictObject({
  type: z.literal('llm_judge').describe('A model judges the response against an expected answer.'),
  expected_answer: VisibleText.describe('The answer to judge by.'),
  criteria: VisibleText.optional().describe('What the judge is to look at; the answer as a whole unless set.'),
});
export type LlmJudgeCheck = z.infer<typeof LlmJudgeCheck>;

export const NotContainsCheck = z.strictObject({
  type: z.literal('not_contains').describe('No phrase occurs in the response.'),
  phrases,
  case_sensitive: caseSensitive(false),
});
export type NotContainsCheck = z.infer<typeof NotContainsCheck>;

export const EqualsCheck = z.strictObject({
  type: z.literal('equals').describe('The response, without white space at its ends, is exactly this text.'),
  value: VisibleText.describe('The text.'),
  case_sensitive: caseSensitive(true),
});
export type EqualsCheck = z.infer<typeof EqualsCheck>;

export const StartsWithCheck = z.strictObject({
  type: z.literal('starts_with').describe('The response, without white space at its start, begins with this text.'),
  value: VisibleText.describe('The text.'),
  case_sensitive: caseSensitive(false),
});
export type StartsWithCheck = z.infer<typeof StartsWithCheck>;

export const RegexCheck = z.strictObject({
  type: z.literal('regex').describe('A pattern of RE2 (no look-around, no back-references) occurs in the response.'),
  pattern: z
    .string()
    .min(1)
    .describe('The pattern.')
    .superRefine((source, context) => {
      const compiled = compilePattern(source);
      if (!compiled.ok)
        context.addIssue({ code: 'custom', message: compiled.message, params: { code: 'invalid_format' } });
    }),
  case_sensitive: caseSensitive(true),
});
export type RegexCheck = z.infer<typeof RegexCheck>;

export const IsJsonCheck = z.strictObject({
  type: z
    .literal('is_json')
    .describe('The whole response is one JSON value; a single fenced block around it is taken off.'),
});
export type IsJsonCheck = z.infer<typeof IsJsonCheck>;

export const JsonSchemaCheck = z.strictObject({
  type: z.literal('json_schema').describe('The response is JSON that a JSON Schema accepts.'),
  schema: FreeForm.describe('The JSON Schema.'),
});
export type JsonSchemaCheck = z.infer<typeof JsonSchemaCheck>;

export const JsonPathCheck = z.strictObject({
  type: z.literal('json_path').describe('The response is JSON with a value at a path.'),
  path: JsonPath.describe('The path, such as items[0].id.'),
  expected: JsonData.optional().describe('What the value must be, matchers allowed; anything unless set.'),
});
export type JsonPathCheck = z.infer<typeof JsonPathCheck>;

const bounds = {
  min: z.int().min(0).optional().describe('The least that passes; min or max is required.'),
  max: z.int().min(0).optional().describe('The most that passes.'),
};

const isBounded = ({ min, max }: { min?: number | undefined; max?: number | undefined }): boolean =>
  (min !== undefined || max !== undefined) && (min ?? 0) <= (max ?? Number.POSITIVE_INFINITY);

const needsBounds = refusal('required', 'needs `min` or `max`, and `min` not above `max`');

export const LengthCheck = z
  .strictObject({
    type: z.literal('length').describe('The response is so long.'),
    ...bounds,
    unit: z
      .enum(['characters', 'words'])
      .default('characters')
      .describe('What is counted; characters are code points.'),
  })
  .refine(isBounded, needsBounds);
export type LengthCheck = z.infer<typeof LengthCheck>;

export const LatencyCheck = z.strictObject({
  type: z.literal('latency').describe('The agent answered within a time.'),
  max_ms: z.number().positive().describe('The time in milliseconds.'),
});
export type LatencyCheck = z.infer<typeof LatencyCheck>;

export const CostCheck = z.strictObject({
  type: z.literal('cost').describe("The agent's calls cost at most so much; an unknown price is an error, not a pass."),
  max_usd: z.number().min(0).describe('US dollars.'),
});
export type CostCheck = z.infer<typeof CostCheck>;

export const ToolCountCheck = z
  .strictObject({
    type: z.literal('tool_count').describe('Tools were called so often.'),
    tool: KeyName.optional().describe('Only calls of this tool; all tools unless set.'),
    ...bounds,
  })
  .refine(isBounded, needsBounds);
export type ToolCountCheck = z.infer<typeof ToolCountCheck>;

export const EndsWithCheck = z.strictObject({
  type: z.literal('ends_with').describe('The response, without white space at its end, ends with this text.'),
  value: VisibleText.describe('The text.'),
  case_sensitive: caseSensitive(false),
});

export const OneOfCheck = z.strictObject({
  type: z.literal('one_of').describe('The response, without white space at its ends, is one of these texts.'),
  values: z.array(VisibleText).min(1).max(100).describe('The texts.'),
  case_sensitive: caseSensitive(false),
});

export const ContainsJsonCheck = z.strictObject({
  type: z.literal('contains_json').describe('Somewhere in the response stands a JSON object or list.'),
  schema: FreeForm.optional().describe('The JSON Schema that one of them must fit; any unless set.'),
});

export const NumberCheck = z.strictObject({
  type: z.literal('number').describe('The response is a number, and near enough to this one.'),
  value: z.number().describe('The number.'),
  tolerance: z.number().min(0).default(1e-6).describe('Allowed difference.'),
  relative_tolerance: z.number().min(0).default(0).describe('Allowed difference as a share of the value.'),
  path: JsonPath.optional().describe('Where in a JSON response the number stands; the whole response unless set.'),
});

export const LevenshteinCheck = z.strictObject({
  type: z.literal('levenshtein').describe('The response differs from this text by few characters.'),
  value: VisibleText.max(10_000).describe('The text.'),
  max_distance: z.int().min(0).max(1_000).default(5).describe('How many characters may be added, removed or replaced.'),
});

export const ValidToolCallsCheck = z.strictObject({
  type: z
    .literal('valid_tool_calls')
    .describe('Every tool that was called is declared, and its arguments fit the schema of its parameters.'),
  tool: KeyName.optional().describe('Only calls of this tool; all tools unless set.'),
});

const codeKeys = {
  threshold: z.number().optional().describe('The lowest score that passes; any above 0 unless set.'),
  config: FreeForm.optional().describe('Handed to the code as context.config.'),
  timeout_ms: z.int().min(1).max(600_000).default(30_000).describe('Time limit of one judgement.'),
};

export const CodeCheck = z.strictObject({
  type: z
    .literal('code')
    .describe('A function of a JavaScript or TypeScript file judges: export default (output, context) => …'),
  file: RepositoryFile.describe('Path of the file from the root of the repository.'),
  export: z.string().min(1).optional().describe('Name of the exported function; default unless set.'),
  ...codeKeys,
  /** Of the content when the definitions were loaded: who runs another file would judge by other rules. */
  sha256: z.string().optional(),
});
export type CodeCheck = z.infer<typeof CodeCheck>;

export const CommandCheck = z.strictObject({
  type: z.literal('command').describe('A program judges: a line of JSON in, a line of JSON out.'),
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe('The program and its arguments, started at the root of the repository.'),
  ...codeKeys,
});
export type CommandCheck = z.infer<typeof CommandCheck>;

export const HttpCheck = z.strictObject({
  type: z
    .literal('http')
    .describe('A service judges: the same JSON by POST. The only check in code that runs everywhere.'),
  url: HttpUrl.describe('Where it is posted to.'),
  headers: Headers.optional(),
  secret: SecretName.optional().describe('Signs each request: { from_env: NAME }.'),
  ...codeKeys,
});
export type HttpCheck = z.infer<typeof HttpCheck>;

/** A check that is code of the team. */
export type OwnCheck = CodeCheck | CommandCheck | HttpCheck;

const LeafCheck = z.discriminatedUnion('type', [
  ContainsPhrasesCheck,
  SemanticSimilarityCheck,
  LlmJudgeCheck,
  NotContainsCheck,
  EqualsCheck,
  StartsWithCheck,
  EndsWithCheck,
  OneOfCheck,
  RegexCheck,
  IsJsonCheck,
  JsonSchemaCheck,
  JsonPathCheck,
  ContainsJsonCheck,
  NumberCheck,
  LevenshteinCheck,
  LengthCheck,
  LatencyCheck,
  CostCheck,
  ToolCountCheck,
  ValidToolCallsCheck,
  CodeCheck,
  CommandCheck,
  HttpCheck,
]);
/** A check that holds no other. */
export type LeafCheck = z.infer<typeof LeafCheck>;

export interface NotCheck {
  type: 'not';
  check: Check;
}

export interface GroupCheck {
  type: 'group';
  checks: Check[];
  mode?: 'all' | 'any' | undefined;
  at_least?: number | undefined;
  threshold?: number | undefined;
  weights?: number[] | undefined;
}

export type Check = LeafCheck | NotCheck | GroupCheck;
type CheckInput =
  | z.input<typeof LeafCheck>
  | { type: 'not'; check: CheckInput }
  | (Omit<GroupCheck, 'checks'> & { checks: CheckInput[] });

const NotCheckShape = z.strictObject({
  type: z.literal('not').describe('The check inside does not pass.'),
  check: z.lazy(() => Check).describe('The check that must not pass.'),
});

const GroupCheckShape = z
  .strictObject({
    type: z
      .literal('group')
      .describe('Several checks as one: all of them, any of them, at least so many, or a share by weight.'),
    checks: z
      .array(z.lazy(() => Check))
      .min(1)
      .max(100)
      .describe('The checks.'),
    mode: z.enum(['all', 'any']).optional().describe('Whether all must pass or one is enough; all unless set.'),
    at_least: z.int().min(1).optional().describe('How many must pass.'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('The lowest share that passes, each check with its score and its weight.'),
    weights: z
      .array(z.number().min(0))
      .optional()
      .describe('The weights of the checks in their order; 1 each unless set.'),
  })
  .superRefine((group, context) => {
    for (const [key, message] of groupProblems(group))
      context.addIssue({ code: 'custom', path: [key], message, params: { code: 'exclusive' } });
  });

function groupProblems(
  group: Omit<GroupCheck, 'type' | 'checks'> & { checks: readonly unknown[] },
): [string, string][] {
  const { checks, mode, at_least = 0, threshold, weights } = group;
  const rules: [boolean, string, string][] = [
    [
      mode !== undefined && (group.at_least ?? threshold) !== undefined,
      'mode',
      '`mode` excludes `at_least` and `threshold`',
    ],
    [at_least > 0 && threshold !== undefined, 'at_least', '`at_least` and `threshold` exclude each other'],
    [at_least > checks.length, 'at_least', `\`at_least\` can be ${checks.length} at most, the number of checks`],
    [weights !== undefined && threshold === undefined, 'weights', '`weights` go with `threshold`'],
    [
      weights !== undefined && weights.length !== checks.length,
      'weights',
      `needs ${checks.length} numbers, one for each check`,
    ],
    [weights?.every((weight) => weight === 0) === true, 'weights', 'needs one weight above 0'],
  ];
  return rules.flatMap(([isBroken, key, message]): [string, string][] => (isBroken ? [[key, message]] : []));
}

/** Every kind of check. */
export const checkTypes: readonly Check['type'][] = [
  ...LeafCheck.options.map((option) => option.shape.type.value),
  'not',
  'group',
];

export const Check: z.ZodType<Check, CheckInput> = z
  .discriminatedUnion('type', [...LeafCheck.options, NotCheckShape, GroupCheckShape])
  .meta({ id: 'Check' });

type CheckPath = (string | number)[];

/** The check and all that it holds, each with its path from the first. */
export function checksWithin(check: Check, path: CheckPath = []): { check: Check; path: CheckPath }[] {
  if (check.type === 'not') return [{ check, path }, ...checksWithin(check.check, [...path, 'check'])];
  if (check.type !== 'group') return [{ check, path }];
  return [{ check, path }, ...check.checks.flatMap((one, index) => checksWithin(one, [...path, 'checks', index]))];
}

/** Whether the check, or one that it holds, is of one of these types. */
export function holdsType(check: Check, types: readonly Check['type'][]): boolean {
  if (types.includes(check.type)) return true;
  if (check.type === 'not') return holdsType(check.check, types);
  return check.type === 'group' && check.checks.some((one) => holdsType(one, types));
}

/** The checks of a single-turn case and how their verdicts are combined (seed 002). */
export const ExpectedBehavior = z.strictObject({
  mode: z.enum(['all', 'any']).default('all').describe('Whether all checks must pass or one is enough.'),
  checks: z.array(Check).min(1).max(100).describe('The checks, see below.'),
});
export type ExpectedBehavior = z.infer<typeof ExpectedBehavior>;

/** Every check of a block, those inside of others too, each with its path from the block. */
export const checksOf = (behavior: Pick<ExpectedBehavior, 'checks'> | null): { check: Check; path: CheckPath }[] =>
  (behavior?.checks ?? []).flatMap((check, index) => checksWithin(check, ['checks', index]));
