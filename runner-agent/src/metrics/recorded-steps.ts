import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { Metric } from '@proofmark/contracts/metrics';
import { chooseMetricModel } from './choose-metric-model.ts';
import { gevalParams } from './geval-params.ts';

/** What steps are written from: a metric may be renamed, but its criteria and what it sees may not change. */
export const stepsDefinition = (metric: Metric) => ({
  criteria: metric.criteria ?? '',
  sees: gevalParams(metric).map(({ title }) => title.toLowerCase()),
});

/** Steps of a G-Eval metric as they are recorded: under a digest of its definition and its model. */
export function stepsEntry(
  metric: Metric,
  { provider, model, base_url }: ModelSettings,
  steps: readonly string[],
): CassetteEntry {
  const definition = stepsDefinition(metric);
  const key = contentHash({ evaluationSteps: definition, model: { provider, model, base_url } });
  return { key, tool: 'evaluation_steps', args: { metric: metric.metric, ...definition }, result: [...steps] };
}

/** The steps that a model wrote for this test run or for one before it, for whoever repeats it or compares with it. */
export function recordedSteps(
  { instrument }: Pick<CaseWork, 'instrument'>,
  { metricDetails }: Pick<CaseOutcome, 'metricDetails'>,
): CassetteEntry[] {
  return metricDetails.flatMap(({ metric_name, steps, stepsGenerated }) => {
    const metric = instrument.evaluations?.metrics.find((one) => one.metric === metric_name);
    const model = metric && chooseMetricModel('chat', metric, instrument);
    return metric && model && steps && stepsGenerated ? [stepsEntry(metric, model, steps)] : [];
  });
}
