import type { Metric } from '@proofmark/contracts/metrics';
import { evaluateMetric } from '../metrics/evaluate-metric.ts';
import { metricSubject } from '../metrics/metric-subject.ts';
import { type CaseContext, type CaseState, type CaseStep, overtime } from './case-state.ts';

/** Evaluates the metrics that apply to the case, in their order. A metric that cannot be measured stops no other. */
export const runMetrics: CaseStep = (state, context) => {
  const { work } = context;
  if (state.response === null) return state;
  const wanted = work.case.evaluations;
  const configured = work.instrument.evaluations?.metrics ?? [];
  const metrics = configured.filter((metric) => metric.enabled && (wanted === null || wanted.includes(metric.metric)));
  return metrics.length === 0 ? state : measure(state, context, { response: state.response, metrics });
};

interface Measured {
  response: string;
  metrics: readonly Metric[];
}

async function measure(state: CaseState, context: CaseContext, { response, metrics }: Measured): Promise<CaseState> {
  const { work } = context;
  const subject = metricSubject(state, { work, response });
  let measured = state;
  try {
    for (const metric of metrics) {
      const { result, detail } = await evaluateMetric(metric, subject, context);
      const metricDetails = [...measured.metricDetails, detail];
      measured = { ...measured, metrics: [...measured.metrics, result], metricDetails };
    }
  } catch (error) {
    return overtime(measured, context, error);
  }
  return measured;
}
