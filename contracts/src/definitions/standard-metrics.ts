/** What an evaluator needs before it can judge anything. */
export interface MetricNeeds {
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
  type: 'standard' | 'geval' | 'rag';
  metric: string;
  metric_type?: string | undefined;
  evaluation_params?: readonly string[] | undefined;
}

const ragAgainstTruth: readonly unknown[] = ['contextual_precision', 'contextual_recall'];

/** What the evaluator of a metric needs; undefined when there is none of its name. */
export function metricNeeds({ type, metric, metric_type, evaluation_params = [] }: BoundBy): MetricNeeds | undefined {
  if (type === 'rag') return ragAgainstTruth.includes(metric_type) ? judgedAgainstTruth : judged;
  if (type === 'geval') return evaluation_params.includes('expected_output') ? judgedAgainstTruth : judged;
  return standardMetrics.get(metric);
}
