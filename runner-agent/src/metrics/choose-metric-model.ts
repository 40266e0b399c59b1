import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { Metric } from '@proofmark/contracts/metrics';

/** The metric's own model, else that of all metrics, else the judge of the suite; null where none is asked or configured. */
export function chooseMetricModel(
  asks: 'chat' | 'embedding' | null,
  { model }: Pick<Metric, 'model'>,
  { judge, embedding, evaluations, metricModels = {} }: Instrument,
): ModelSettings | null {
  if (asks === null) return null;
  const name = asks === 'embedding' ? model : (model ?? evaluations?.model);
  if (name === undefined) return asks === 'embedding' ? embedding : judge;
  return Object.hasOwn(metricModels, name) ? (metricModels[name] ?? null) : null;
}
