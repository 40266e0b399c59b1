import { z } from 'zod';
import type { OwnCheck } from './checks.ts';
import { JsonPath } from './json-path.ts';
import { RepositoryFile } from './repository-path.ts';
import { Headers, SecretName } from './service.ts';
import { FreeForm, HttpUrl, KeyName, VisibleText } from './texts.ts';

/** What a G-Eval metric may look at, in HoloDeck's words. */
export const EvaluationParam = z.enum(['input', 'actual_output', 'expected_output', 'context', 'retrieval_context']);
export type EvaluationParam = z.infer<typeof EvaluationParam>;

/** Keys of `type: geval`: a rubric of the team's own. Missing steps are generated once per definition. */
const gevalKeys = {
  criteria: VisibleText.optional().describe('geval: the rubric.'),
  evaluation_steps: z
    .array(VisibleText)
    .min(1)
    .max(20)
    .optional()
    .describe('geval: how to judge, step by step; generated once unless set.'),
  evaluation_params: z
    .array(EvaluationParam)
    .min(1)
    .optional()
    .describe('geval: what the judge sees; actual_output unless set.'),
  strict_mode: z.boolean().optional().describe('geval: only the highest score counts, as 1; all others are 0.'),
};

/** What is measured of retrieval. */
export const RagMetric = z.enum([
  'faithfulness',
  'answer_relevancy',
  'contextual_relevancy',
  'contextual_precision',
  'contextual_recall',
]);

/** Keys of `type: rag`. */
const ragKeys = {
  metric_type: RagMetric.optional().describe('rag: which retrieval metric.'),
};

/** Keys of code of the team's own: as the checks of the same names have them. */
const codeKeys = {
  file: RepositoryFile.optional().describe('code: path of the file from the root of the repository.'),
  export: z.string().min(1).optional().describe('code: name of the exported function; default unless set.'),
  sha256: z.string().optional(),
  command: z.array(z.string().min(1)).min(1).optional().describe('command: the program and its arguments.'),
  url: HttpUrl.optional().describe('http: where the test run is posted to.'),
  headers: Headers.optional(),
  secret: SecretName.optional().describe('http: signs each request, { from_env: NAME }.'),
  config: FreeForm.optional().describe('code, command, http: handed to the code as context.config.'),
};

/** Options of `equality` and `numeric`; absent means false, tolerances 1e-6 and 0. */
const comparisonKeys = {
  case_insensitive: z.boolean().optional().describe('equality: upper and lower case are the same.'),
  strip_punctuation: z.boolean().optional().describe('equality: punctuation does not count.'),
  strip_whitespace: z
    .boolean()
    .optional()
    .describe('equality: white space counts as one space, at the ends not at all.'),
  absolute_tolerance: z.number().min(0).optional().describe('numeric: allowed difference; 0.000001 unless set.'),
  relative_tolerance: z
    .number()
    .min(0)
    .optional()
    .describe('numeric: allowed difference as a share of the truth; 0 unless set.'),
  accept_percent: z.boolean().optional().describe('numeric: 50% is 0.5.'),
  accept_thousands_separators: z.boolean().optional().describe('numeric: 1,000 is 1000.'),
  response_path: JsonPath.optional().describe(
    'Where in a JSON response the value stands; the whole response unless set.',
  ),
};

/** One configured metric of the `evaluations` block (seed 000). Binding the name to an evaluator is a second step. */
export const Metric = z.strictObject({
  metric: KeyName.describe('Name of the metric, such as groundedness, similarity, bleu or numeric.'),
  type: z
    .enum(['standard', 'geval', 'rag', 'code', 'command', 'http'])
    .default('standard')
    .describe('standard, geval for a rubric of your own, rag for retrieval metrics, or code of your own.'),
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
  ...codeKeys,
});
export type Metric = z.infer<typeof Metric>;

export const EvaluationConfig = z.strictObject({
  model: z.string().min(1).optional(),
  metrics: z.array(Metric).min(1),
});
export type EvaluationConfig = z.infer<typeof EvaluationConfig>;

/** What an evaluator needs before it can judge anything. */
interface MetricNeeds {
  /** Which kind of model it asks; none for metrics that only compare texts. */
  asks: 'judge' | 'embedding' | 'nothing';
  groundTruth: boolean;
}

const judged: MetricNeeds = { asks: 'judge', groundTruth: false };
const judgedAgainstTruth: MetricNeeds = { asks: 'judge', groundTruth: true };
const compared: MetricNeeds = { asks: 'nothing', groundTruth: true };

/** Every metric of type `standard` that there is an evaluator for. */
export const standardMetrics: ReadonlyMap<string, MetricNeeds> = new Map([
  ['groundedness', judged],
  ['relevance', judged],
  ['coherence', judged],
  ['fluency', judged],
  ['similarity', judgedAgainstTruth],
  ['intent_resolution', judged],
  ['tool_call_accuracy', judged],
  ['task_adherence', judged],
  ['llm_judge', judgedAgainstTruth],
  ['semantic_similarity', { asks: 'embedding', groundTruth: true }],
  ['bleu', compared],
  ['rouge', compared],
  ['rouge1', compared],
  ['rouge2', compared],
  ['rougeL', compared],
  ['meteor', compared],
  ['f1', compared],
  ['equality', compared],
  ['numeric', compared],
]);

/** The part of a metric that decides which evaluator it is bound to. */
interface BoundBy {
  type: Metric['type'];
  metric: string;
  metric_type?: string | undefined;
  evaluation_params?: readonly string[] | undefined;
}

const ragAgainstTruth: readonly unknown[] = ['contextual_precision', 'contextual_recall'];

/** What the evaluator of a metric needs; undefined when there is none of its name. */
export function metricNeeds({ type, metric, metric_type, evaluation_params = [] }: BoundBy): MetricNeeds | undefined {
  if (type === 'rag') return ragAgainstTruth.includes(metric_type) ? judgedAgainstTruth : judged;
  if (type === 'geval') return evaluation_params.includes('expected_output') ? judgedAgainstTruth : judged;
  if (type !== 'standard') return { asks: 'nothing', groundTruth: false };
  return standardMetrics.get(metric);
}

/** The check that a metric of code is, without its threshold, which counts on the scale of the metric; undefined for other metrics. */
export function codeOfMetric(metric: Metric): OwnCheck | undefined {
  const { file, export: name, sha256, command, url, headers, secret, config, timeout_ms = 30_000 } = metric;
  const common = { timeout_ms, ...(config === undefined ? {} : { config }) };
  if (metric.type === 'code' && file !== undefined) return { type: 'code', file, export: name, sha256, ...common };
  if (metric.type === 'command' && command !== undefined) return { type: 'command', command, ...common };
  if (metric.type !== 'http' || url === undefined) return undefined;
  return { type: 'http', url, headers, secret, ...common };
}
