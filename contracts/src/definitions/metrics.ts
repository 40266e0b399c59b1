import { z } from 'zod';
import { KeyName, VisibleText } from './texts.ts';

/** What a G-Eval metric may look at, in HoloDeck's words. */
export const EvaluationParam = z.enum(['input', 'actual_output', 'expected_output', 'context', 'retrieval_context']);
export type EvaluationParam = z.infer<typeof EvaluationParam>;

/** Keys of `type: geval`: a rubric of the team's own. Missing steps are generated once per definition. */
const gevalKeys = {
  criteria: VisibleText.optional(),
  evaluation_steps: z.array(VisibleText).min(1).max(20).optional(),
  evaluation_params: z.array(EvaluationParam).min(1).optional(),
  strict_mode: z.boolean().optional(),
};

/** Keys of `type: rag`. */
const ragKeys = {
  metric_type: z
    .enum(['faithfulness', 'answer_relevancy', 'contextual_relevancy', 'contextual_precision', 'contextual_recall'])
    .optional(),
};

/** Options of `equality` and `numeric`; absent means false, tolerances 1e-6 and 0. */
const comparisonKeys = {
  case_insensitive: z.boolean().optional(),
  strip_punctuation: z.boolean().optional(),
  strip_whitespace: z.boolean().optional(),
  absolute_tolerance: z.number().min(0).optional(),
  relative_tolerance: z.number().min(0).optional(),
  accept_percent: z.boolean().optional(),
  accept_thousands_separators: z.boolean().optional(),
  response_path: VisibleText.optional(),
};

/** One configured metric of the `evaluations` block (seed 000). Binding the name to an evaluator is a second step. */
export const Metric = z.strictObject({
  metric: KeyName.describe('Name of the metric, such as groundedness, similarity, bleu or numeric.'),
  type: z
    .enum(['standard', 'geval', 'rag'])
    .default('standard')
    .describe('standard, geval for a rubric of your own, rag for retrieval metrics.'),
  threshold: z.number().min(0).optional().describe('The lowest score that passes, on the scale of the metric.'),
  enabled: z.boolean().default(true).describe('false leaves the metric out.'),
  scale: z.number().positive().optional().describe('The highest score, such as 5; scores are 0 to 1 unless set.'),
  model: z.string().min(1).optional().describe('AI configuration of this metric, instead of the default one.'),
  fail_on_error: z.boolean().default(false).describe('Whether an error of the evaluator makes the test run an error.'),
  retry_on_failure: z.int().min(1).max(3).optional().describe('Further tries after a failed one, 1 to 3.'),
  timeout_ms: z.int().min(1).max(3_600_000).optional().describe('Time limit of one try.'),
  custom_prompt: VisibleText.optional().describe('Replaces the rubric of a judged metric.'),
  ...gevalKeys,
  ...ragKeys,
  ...comparisonKeys,
});
export type Metric = z.infer<typeof Metric>;

export const EvaluationConfig = z.strictObject({
  model: z.string().min(1).optional(),
  metrics: z.array(Metric).min(1),
});
export type EvaluationConfig = z.infer<typeof EvaluationConfig>;
