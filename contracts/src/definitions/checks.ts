import { z } from 'zod';
import { JsonPath } from './json-path.ts';
import { compilePattern } from './pattern.ts';
import { FreeForm, JsonData, KeyName, refusal, VisibleText } from './texts.ts';

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

export const Check = z
  .discriminatedUnion('type', [
    ContainsPhrasesCheck,
    SemanticSimilarityCheck,
    LlmJudgeCheck,
    NotContainsCheck,
    EqualsCheck,
    StartsWithCheck,
    RegexCheck,
    IsJsonCheck,
    JsonSchemaCheck,
    JsonPathCheck,
    LengthCheck,
    LatencyCheck,
    CostCheck,
    ToolCountCheck,
  ])
  .meta({ id: 'Check' });
export type Check = z.infer<typeof Check>;

/** The checks of a single-turn case and how their verdicts are combined (seed 002). */
export const ExpectedBehavior = z.strictObject({
  mode: z.enum(['all', 'any']).default('all').describe('Whether all checks must pass or one is enough.'),
  checks: z.array(Check).min(1).max(100).describe('The checks, see below.'),
});
export type ExpectedBehavior = z.infer<typeof ExpectedBehavior>;
