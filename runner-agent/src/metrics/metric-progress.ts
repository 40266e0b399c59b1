import { type MetricProgress, type MetricProgressEvent, nextMetricProgress } from '@proofmark/domain/lifecycle';

/** The states that a metric went through: one more try per retry, complete with a score and failed without one. */
export function metricProgress({ retryCount, hasScore }: { retryCount: number; hasScore: boolean }): MetricProgress[] {
  const retries = Array.from({ length: retryCount }, (): MetricProgressEvent[] => ['broken', 'evaluate']).flat();
  const events: MetricProgressEvent[] = ['evaluate', ...retries, hasScore ? 'scored' : 'give_up'];
  const states: MetricProgress[] = ['PENDING'];
  for (const event of events) {
    const next = nextMetricProgress(states.at(-1) ?? 'PENDING', event);
    if (next !== undefined) states.push(next);
  }
  return states;
}
