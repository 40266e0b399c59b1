import type { MetricResult } from '@proofmark/contracts/case-outcome';
import type { CaseStep } from './case-state.ts';

/** Evaluates the metrics that apply to the case. None has an evaluator yet, so each is an error: unmeasured is never passed. */
export const runMetrics: CaseStep = async (state, { work }) => {
  if (state.response === null) return state;
  const wanted = work.case.evaluations;
  const configured = work.instrument.evaluations?.metrics ?? [];
  const metrics = configured.filter((metric) => metric.enabled && (wanted === null || wanted.includes(metric.metric)));
  return { ...state, metrics: metrics.map(({ metric, threshold, scale }) => unmeasured(metric, threshold, scale)) };
};

function unmeasured(name: string, threshold: number | undefined, scale: number | undefined): MetricResult {
  return {
    metric_name: name,
    score: null,
    threshold: threshold ?? null,
    passed: false,
    scale: scale ?? null,
    error: 'This runner cannot evaluate the metric yet',
    retry_count: 0,
    evaluation_time_ms: 0,
    model_used: null,
  };
}
