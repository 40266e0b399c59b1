import { z } from 'zod';

const requiredText = z.string().min(1);

export const ContainsPhrasesCheck = z.strictObject({
  type: z.literal('contains_phrases'),
  phrases: z.array(requiredText).min(1),
  case_sensitive: z.boolean().default(false),
});
export type ContainsPhrasesCheck = z.infer<typeof ContainsPhrasesCheck>;

export const SemanticSimilarityCheck = z.strictObject({
  type: z.literal('semantic_similarity'),
  expected_answer: requiredText,
  threshold: z.number().min(0).max(1),
});
export type SemanticSimilarityCheck = z.infer<typeof SemanticSimilarityCheck>;

export const LlmJudgeCheck = z.strictObject({
  type: z.literal('llm_judge'),
  expected_answer: requiredText,
  criteria: requiredText.optional(),
});
export type LlmJudgeCheck = z.infer<typeof LlmJudgeCheck>;

export const Check = z.discriminatedUnion('type', [ContainsPhrasesCheck, SemanticSimilarityCheck, LlmJudgeCheck]);
export type Check = z.infer<typeof Check>;

/** The checks of a single-turn case and how their verdicts are combined (seed 002). */
export const ExpectedBehavior = z.strictObject({
  mode: z.enum(['all', 'any']).default('all'),
  checks: z.array(Check).min(1),
});
export type ExpectedBehavior = z.infer<typeof ExpectedBehavior>;
