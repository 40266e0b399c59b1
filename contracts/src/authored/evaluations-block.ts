import { z } from 'zod';
import { type EvaluationConfig, Metric } from '../definitions/metrics.ts';
import { KeyName } from '../definitions/texts.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { configurationFindings, ModelReference } from './configurations.ts';

/** One metric as it is written: its model may be described on the spot, a G-Eval or RAG metric named as HoloDeck does. */
export const MetricEntry = Metric.extend({
  metric: KeyName.optional().describe('Name of the metric, such as groundedness, similarity, bleu or numeric.'),
  /** The name of a `geval` or `rag` metric in HoloDeck's spelling. */
  name: KeyName.optional().describe('Another word for metric.'),
  model: ModelReference.optional().describe('AI configuration of this metric, instead of the one of the block.'),
  include_reason: z.unknown().optional(),
});
export type MetricEntry = z.infer<typeof MetricEntry>;

export const EvaluationsBlock = z.strictObject({
  model: ModelReference.optional().describe('AI configuration of the metrics; the judge unless set.'),
  metrics: z.array(MetricEntry).min(1).describe('The metrics.'),
});
export type EvaluationsBlock = z.infer<typeof EvaluationsBlock>;

type Raw = Record<string, unknown>;

/** What a metric is called; `rag` metrics need no name of their own. */
const metricName = (raw: Raw): unknown => raw.metric ?? raw.name ?? (raw.type === 'rag' ? raw.metric_type : undefined);

const needs = [
  { type: 'code', key: 'file' },
  { type: 'command', key: 'command' },
  { type: 'http', key: 'url' },
];

/** The rules between the keys of one metric. */
export function metricFindings(raw: Raw, base: Path): Finding[] {
  const findings: Finding[] = [];
  const need = (key: string, message: string): void => {
    if (raw[key] === undefined) findings.push({ path: [...base, key], code: 'required', message, at: 'key' });
  };
  if (metricName(raw) === undefined) need('metric', '`metric` is missing: the name of the metric');
  if (raw.type === 'geval') need('criteria', '`criteria` is missing: a geval metric needs its own rubric');
  if (raw.type === 'rag') need('metric_type', '`metric_type` is missing: which rag metric this is');
  const own = needs.find(({ type }) => type === raw.type);
  if (own !== undefined) need(own.key, `\`${own.key}\` is missing: a metric of type ${own.type} needs it`);
  if (raw.threshold === 0)
    findings.push(warning([...base, 'threshold'], 'invalid_value', 'a threshold of 0 always passes'));
  return findings;
}

/** What the metrics of a block are called, those with an error too; undefined when not every name can be read. */
export function namesOfMetrics(raw: unknown): string[] | undefined {
  if (raw === undefined || raw === null) return [];
  if (!isMapping(raw) || !Array.isArray(raw.metrics)) return undefined;
  const names = raw.metrics.map((metric: unknown) => (isMapping(metric) ? metricName(metric) : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

export function evaluationsFindings(raw: unknown, base: Path): Finding[] {
  if (!isMapping(raw) || !Array.isArray(raw.metrics)) return [];
  const metrics: unknown[] = raw.metrics;
  const models = [raw.model, ...metrics.map((metric) => (isMapping(metric) ? metric.model : undefined))];
  const ofModels = models.flatMap((model, index) =>
    configurationFindings(model, index === 0 ? [...base, 'model'] : [...base, 'metrics', index - 1, 'model']),
  );
  const names = metrics.map((metric) => (isMapping(metric) ? metricName(metric) : undefined));
  const ofMetrics = metrics.flatMap((metric, index): Finding[] => {
    if (!isMapping(metric)) return [];
    const path = [...base, 'metrics', index];
    const name = names[index];
    if (typeof name !== 'string' || names.indexOf(name) === index) return metricFindings(metric, path);
    const message = `metric \`${name}\` is configured twice`;
    return [...metricFindings(metric, path), { path: [...path, 'metric'], code: 'duplicate', message }];
  });
  return [...ofModels, ...ofMetrics];
}

/** The block with every model as the name of an AI configuration; `nameOf` finds or makes that name. */
export function normaliseEvaluations(
  block: EvaluationsBlock,
  nameOf: (model: ModelReference) => string | undefined,
): EvaluationConfig {
  const named = (model: ModelReference | undefined): { model?: string } => {
    const name = model === undefined ? undefined : nameOf(model);
    return name === undefined ? {} : { model: name };
  };
  return {
    ...named(block.model),
    metrics: block.metrics.map(({ metric, name, model, include_reason: _reason, ...rest }) => ({
      ...rest,
      metric: metric ?? name ?? rest.metric_type ?? '',
      ...named(model),
    })),
  };
}
