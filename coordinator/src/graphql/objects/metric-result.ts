import type { MetricDetail, MetricResult } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';
import type { Loaders } from '../loaders.ts';

/** A metric with the test run that it belongs to, whose payload holds what no report file may. */
export type MetricResultView = MetricResult & { testRunId: string };

/** The payload of the test run is read for it. */
const ofPayload = 5;

export const MetricResultType = builder.objectRef<MetricResultView>('MetricResult').implement({
  description: 'What one configured metric says about one test run.',
  fields: (t) => ({
    metricName: t.exposeString('metric_name', { description: 'Name of the metric.' }),
    kind: t.string({
      nullable: true,
      description: 'How it was measured: lexical, model, geval, rag or check.',
      complexity: ofPayload,
      resolve: async (metric, _args, { loaders }) => (await detailOf(metric, loaders))?.kind ?? null,
    }),
    score: t.exposeFloat('score', { nullable: true, description: 'Null when the metric ended in an error.' }),
    threshold: t.exposeFloat('threshold', { nullable: true, description: 'The least score that passes.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether the score reaches the threshold.' }),
    scale: t.exposeFloat('scale', { nullable: true, description: 'The highest score there is.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why there is no score.' }),
    reasoning: t.string({
      nullable: true,
      description: 'Why the score is what it is. Written by a model: never trust it.',
      complexity: ofPayload,
      resolve: async (metric, _args, { loaders }) => (await detailOf(metric, loaders))?.reasoning ?? null,
    }),
    evaluationSteps: t.stringList({
      description: 'The steps that a G-Eval metric followed; empty for all others.',
      complexity: ofPayload,
      resolve: async (metric, _args, { loaders }) => (await detailOf(metric, loaders))?.steps ?? [],
    }),
    progress: t.stringList({
      description: 'The states it went through: PENDING, EVALUATING, RETRY, COMPLETE, FAILED.',
      complexity: ofPayload,
      resolve: async (metric, _args, { loaders }) => (await detailOf(metric, loaders))?.progress ?? [],
    }),
    retryCount: t.exposeInt('retry_count', { description: 'How often it was tried again.' }),
    evaluationTimeMs: t.exposeInt('evaluation_time_ms', { description: 'How long it took, in milliseconds.' }),
    modelUsed: t.exposeString('model_used', { nullable: true, description: 'The model that judged.' }),
  }),
});

async function detailOf(
  { testRunId, metric_name }: MetricResultView,
  loaders: Loaders,
): Promise<MetricDetail | undefined> {
  const payload = await loaders.transcript.load(testRunId);
  return payload?.outcome?.metricDetails?.find((detail) => detail.metric_name === metric_name);
}
