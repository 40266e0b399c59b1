import type { MetricResult } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

export const MetricResultType = builder.objectRef<MetricResult>('MetricResult').implement({
  description: 'What one configured metric says about one test run.',
  fields: (t) => ({
    metricName: t.exposeString('metric_name', { description: 'Name of the metric.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'Null when the metric ended in an error.' }),
    threshold: t.exposeFloat('threshold', { nullable: true, description: 'The least score that passes.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether the score reaches the threshold.' }),
    scale: t.exposeFloat('scale', { nullable: true, description: 'The highest score there is.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why there is no score.' }),
    retryCount: t.exposeInt('retry_count', { description: 'How often it was tried again.' }),
    evaluationTimeMs: t.exposeInt('evaluation_time_ms', { description: 'How long it took, in milliseconds.' }),
    modelUsed: t.exposeString('model_used', { nullable: true, description: 'The model that judged.' }),
  }),
});
