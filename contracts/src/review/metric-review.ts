import type { EvaluationConfig, Metric } from '../definitions/metrics.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { didYouMean } from '../parse/near-match.ts';

interface Evaluator {
  /** Asks a judge model. */
  judged: boolean;
  needsGroundTruth: boolean;
}

const judged: Evaluator = { judged: true, needsGroundTruth: false };
const judgedAgainstTruth: Evaluator = { judged: true, needsGroundTruth: true };
const lexical: Evaluator = { judged: false, needsGroundTruth: true };

/** Every metric of type `standard` that an evaluator exists for. */
const evaluators = new Map<string, Evaluator>([
  ['groundedness', judged],
  ['relevance', judged],
  ['coherence', judged],
  ['fluency', judged],
  ['similarity', judgedAgainstTruth],
  ['intent_resolution', judged],
  ['tool_call_accuracy', judged],
  ['task_adherence', judged],
  ['llm_judge', judgedAgainstTruth],
  ['semantic_similarity', lexical],
  ...['bleu', 'rouge', 'rouge1', 'rouge2', 'rougeL', 'meteor', 'f1', 'equality', 'numeric'].map(
    (name): [string, Evaluator] => [name, lexical],
  ),
]);

const ragAgainstTruth: readonly unknown[] = ['contextual_precision', 'contextual_recall'];

/** The evaluator that a metric is bound to; undefined when there is none of its name. */
function evaluatorOf({ type, metric, metric_type, evaluation_params = [] }: Metric): Evaluator | undefined {
  if (type === 'rag') return ragAgainstTruth.includes(metric_type) ? judgedAgainstTruth : judged;
  if (type === 'geval') return evaluation_params.includes('expected_output') ? judgedAgainstTruth : judged;
  return evaluators.get(metric);
}

/** Binds every metric of a suite to an evaluator: unknown names, missing models, thresholds that cannot be reached. */
export function metricFindings({ evaluations, judge }: Suite): Finding[] {
  if (evaluations === null) return [];
  return evaluations.metrics.flatMap((metric, index) => {
    const path = ['evaluations', 'metrics', index];
    return [
      ...bindingFindings(metric, path, evaluations.model ?? judge?.ai_configuration),
      ...thresholdFindings(metric, path),
    ];
  });
}

function bindingFindings(metric: Metric, path: Finding['path'], model: string | undefined): Finding[] {
  const evaluator = evaluatorOf(metric);
  if (evaluator === undefined) {
    const message = `there is no metric \`${metric.metric}\`${didYouMean(metric.metric, evaluators.keys())}`;
    const hint = 'A rubric of your own is `type: geval` with `name` and `criteria`.';
    return [{ path: [...path, 'metric'], code: 'invalid_enum', message, hint }];
  }
  if (!metric.enabled || !evaluator.judged || metric.model !== undefined || model !== undefined) return [];
  const hint = 'Add `judge: { ai_configuration: … }` to the suite, or `model` to `evaluations`.';
  return [{ path, code: 'required', message: `the metric \`${metric.metric}\` needs a model`, hint }];
}

function thresholdFindings({ threshold, scale = 1, metric }: Metric, path: Finding['path']): Finding[] {
  if (threshold === undefined || threshold <= scale) return [];
  const message = `the threshold of \`${metric}\` must be between 0 and ${scale}, the scale of the metric`;
  const hint = scale === 1 ? 'Scores are 0 to 1 unless the metric has a `scale`.' : undefined;
  return [{ path: [...path, 'threshold'], code: 'out_of_range', message, ...(hint === undefined ? {} : { hint }) }];
}

/** The metrics that are computed for a case. */
export function metricsOfCase(evaluations: EvaluationConfig | null, { evaluations: names }: TestCase): Metric[] {
  return (
    evaluations?.metrics.filter(({ metric, enabled }) => enabled && (names === null || names.includes(metric))) ?? []
  );
}

/** Inputs of metrics that this case can never have. */
export function metricInputFindings(testCase: TestCase, metrics: readonly Metric[]): Finding[] {
  if (testCase.ground_truth !== null) return groundTruthFindings(testCase.ground_truth, metrics);
  return metrics
    .filter((metric) => evaluatorOf(metric)?.needsGroundTruth === true)
    .map(({ metric }) => ({
      path: [],
      code: 'required',
      message: `case \`${testCase.name}\` needs a \`ground_truth\`: the metric \`${metric}\` compares with it`,
      hint: 'Add `ground_truth`, or list the metrics of the case in `evaluations`.',
    }));
}

function groundTruthFindings(groundTruth: string, metrics: readonly Metric[]): Finding[] {
  const numeric = metrics.some(({ metric, type }) => type === 'standard' && metric === 'numeric');
  if (!numeric || /^\s*[+-]?[\d.,_\s]*\d[\d.,_\s]*(?:[eE][+-]?\d+)?\s*%?\s*$/.test(groundTruth)) return [];
  return [
    warning(
      ['ground_truth'],
      'invalid_value',
      '`ground_truth` is not a number, so the metric `numeric` can never pass',
    ),
  ];
}
