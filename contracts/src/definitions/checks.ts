import { z } from 'zod';
import { FreeForm, JsonData } from './json-data.ts';
import { compilePattern } from './pattern.ts';
import { KeyName, refusal, VisibleText } from './texts.ts';

const phrases = z.array(VisibleText).min(1).max(100);

export const ContainsPhrasesCheck = z.strictObject({
  type: z.literal('contains_phrases'),
  phrases,
  case_sensitive: z.boolean().default(false),
});
export type ContainsPhrasesCheck = z.infer<typeof ContainsPhrasesCheck>;

export const SemanticSimilarityCheck = z.strictObject({
  type: z.literal('semantic_similarity'),
  expected_answer: VisibleText,
  threshold: z.number().min(0).max(1),
});
export type SemanticSimilarityCheck = z.infer<typeof SemanticSimilarityCheck>;

export const LlmJudgeCheck = z.strictObject({
  type: z.literal('llm_judge'),
  expected_answer: VisibleText,
  criteria: VisibleText.optional(),
});
export type LlmJudgeCheck = z.infer<typeof LlmJudgeCheck>;

/** No phrase occurs in the response. */
export const NotContainsCheck = z.strictObject({
  type: z.literal('not_contains'),
  phrases,
  case_sensitive: z.boolean().default(false),
});
export type NotContainsCheck = z.infer<typeof NotContainsCheck>;

/** The response, without white space at its ends, is exactly this text. */
export const EqualsCheck = z.strictObject({
  type: z.literal('equals'),
  value: VisibleText,
  case_sensitive: z.boolean().default(true),
});
export type EqualsCheck = z.infer<typeof EqualsCheck>;

/** The response, without white space at its start, begins with this text. */
export const StartsWithCheck = z.strictObject({
  type: z.literal('starts_with'),
  value: VisibleText,
  case_sensitive: z.boolean().default(false),
});
export type StartsWithCheck = z.infer<typeof StartsWithCheck>;

/** A pattern of RE2 (no look-around, no back-references) occurs in the response. */
export const RegexCheck = z.strictObject({
  type: z.literal('regex'),
  pattern: z
    .string()
    .min(1)
    .superRefine((source, context) => {
      const compiled = compilePattern(source);
      if (!compiled.ok)
        context.addIssue({ code: 'custom', message: compiled.message, params: { code: 'invalid_format' } });
    }),
  case_sensitive: z.boolean().default(true),
});
export type RegexCheck = z.infer<typeof RegexCheck>;

/** The whole response is one JSON value; a single fenced block around it is taken off. */
export const IsJsonCheck = z.strictObject({ type: z.literal('is_json') });
export type IsJsonCheck = z.infer<typeof IsJsonCheck>;

/** The response is JSON that this JSON Schema accepts. */
export const JsonSchemaCheck = z.strictObject({ type: z.literal('json_schema'), schema: FreeForm });
export type JsonSchemaCheck = z.infer<typeof JsonSchemaCheck>;

/** The response is JSON with a value at `path` (`items[0].id`); with `expected` it also matches, matchers allowed. */
export const JsonPathCheck = z.strictObject({
  type: z.literal('json_path'),
  path: VisibleText,
  expected: JsonData.optional(),
});
export type JsonPathCheck = z.infer<typeof JsonPathCheck>;

const bounds = { min: z.int().min(0).optional(), max: z.int().min(0).optional() };

const isBounded = ({ min, max }: { min?: number | undefined; max?: number | undefined }): boolean =>
  (min !== undefined || max !== undefined) && (min ?? 0) <= (max ?? Number.POSITIVE_INFINITY);

const needsBounds = refusal('required', 'needs `min` or `max`, and `min` not above `max`');

/** The response is so long, counted in characters (code points) or words. */
export const LengthCheck = z
  .strictObject({ type: z.literal('length'), ...bounds, unit: z.enum(['characters', 'words']).default('characters') })
  .refine(isBounded, needsBounds);
export type LengthCheck = z.infer<typeof LengthCheck>;

/** The agent answered within this time. */
export const LatencyCheck = z.strictObject({ type: z.literal('latency'), max_ms: z.number().positive() });
export type LatencyCheck = z.infer<typeof LatencyCheck>;

/** The agent's calls cost at most this much; an unknown price is an error, not a pass. */
export const CostCheck = z.strictObject({ type: z.literal('cost'), max_usd: z.number().min(0) });
export type CostCheck = z.infer<typeof CostCheck>;

/** So many calls of one tool, or of all tools. */
export const ToolCountCheck = z
  .strictObject({ type: z.literal('tool_count'), tool: KeyName.optional(), ...bounds })
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
  mode: z.enum(['all', 'any']).default('all'),
  checks: z.array(Check).min(1).max(100),
});
export type ExpectedBehavior = z.infer<typeof ExpectedBehavior>;
