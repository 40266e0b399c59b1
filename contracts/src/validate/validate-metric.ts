import { EvaluationsBlock, evaluationsFindings, MetricEntry, metricFindings } from '../authored/evaluations-block.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { conclude, type Validation } from './validation.ts';

export function validateMetric(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(MetricEntry, value);
  return conclude([...findings, ...(isMapping(folded) ? metricFindings(folded, []) : [])], () => ({ ...parsed }));
}

export function validateEvaluationConfig(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(EvaluationsBlock, value);
  return conclude([...findings, ...evaluationsFindings(folded, [])], () => ({ ...parsed }));
}
