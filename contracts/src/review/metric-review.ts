import { type EvaluationConfig, type Metric, RagMetric } from '../definitions/metrics.ts';
import { meantWord } from '../definitions/near-match.ts';
import { metricNeeds, standardMetrics } from '../definitions/standard-metrics.ts';
import type { TestCase } from '../definitions/test-case.ts';
import type { Finding } from '../parse/finding.ts';
import type { SuiteReview } from './suite-review.ts';

/** Binds every metric of a suite to an evaluator: unknown names, missing models, thresholds that cannot be reached. */
export function metricFindings({ suite, broken }: Pick<SuiteReview, 'suite' | 'broken'>): Finding[] {
  const { evaluations, judge, embedding } = suite;
  if (evaluations === null) return [];
  const mayHaveModel = ['judge', 'embedding', 'evaluations'].some((key) => broken.has(key));
  return evaluations.metrics.flatMap((metric, index) => {
    const path = ['evaluations', 'metrics', index];
    const binding = bindingFindings(metric, path, {
      judge: evaluations.model ?? judge?.ai_configuration,
      embedding: embedding?.ai_configuration,
    });
    return [
      ...(mayHaveModel ? binding.filter(({ code }) => code !== 'required') : binding),
      ...thresholdFindings(metric, path),
    ];
  });
}

interface MeasuringModels {
  judge: string | undefined;
  embedding: string | undefined;
}

function bindingFindings(metric: Metric, path: Finding['path'], models: MeasuringModels): Finding[] {
  const needs = metricNeeds(metric);
  // A name that could not be read is reported where it stands.
  if (metric.metric === '') return [];
  if (needs === undefined) {
    return [{ path: [...path, 'metric'], code: 'invalid_enum', ...unknownMetric(metric.metric) }];
  }
  const model = needs.asks === 'nothing' ? 'none' : (metric.model ?? models[needs.asks]);
  if (!metric.enabled || model !== undefined) return [];
  const hint = 'Add `judge: { ai_configuration: … }` to the suite, or `model` to the metric.';
  return [{ path, code: 'required', message: `the metric \`${metric.metric}\` needs a model`, hint }];
}

function unknownMetric(name: string): Pick<Finding, 'message' | 'hint'> {
  const message = `there is no metric \`${name}\``;
  const retrieval = meantWord(name, RagMetric.options);
  if (retrieval !== undefined)
    return { message: `${message} of type standard`, hint: `Write { type: rag, metric_type: ${retrieval} }.` };
  const standard = [...standardMetrics.keys()];
  const meant = meantWord(name, standard);
  const hint = `There are: ${standard.join(', ')}. A rubric of your own is \`type: geval\` with \`name\` and \`criteria\`.`;
  return { message: meant === undefined ? message : `${message}, did you mean \`${meant}\`?`, hint };
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
