import { isFinalIn, nextIn, type Transitions } from './next-state.ts';

/** How far one metric has come, in the words of seed 000. */
export type MetricProgress = 'PENDING' | 'EVALUATING' | 'RETRY' | 'COMPLETE' | 'FAILED';
export type MetricProgressEvent = 'evaluate' | 'scored' | 'broken' | 'give_up';

const transitions = {
  PENDING: { evaluate: 'EVALUATING' },
  EVALUATING: { scored: 'COMPLETE', broken: 'RETRY', give_up: 'FAILED' },
  RETRY: { evaluate: 'EVALUATING' },
  COMPLETE: {},
  FAILED: {},
} as const satisfies Transitions<MetricProgress, MetricProgressEvent>;

/** The progress after `event`; undefined when it cannot follow. */
export const nextMetricProgress = (state: MetricProgress, event: MetricProgressEvent): MetricProgress | undefined =>
  nextIn<MetricProgress, MetricProgressEvent>(transitions, state, event);

export const isFinalMetricProgress = (state: MetricProgress): boolean => isFinalIn(transitions, state);
