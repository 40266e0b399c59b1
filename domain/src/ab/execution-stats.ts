import { ExecutionStats, type InvocationCounts } from '@proofmark/contracts/execution-stats';
import { successRate } from './summarize-session.ts';

/** One try of an agent. */
export interface Invocation {
  model: string;
  /** Tries that failed before this one. */
  retriesDone: number;
  /** Class of the error, or `timeout`; null: it succeeded. */
  failure: string | null;
}

export const noExecutions = (): ExecutionStats => ExecutionStats.parse({});

/** The statistics with one more invocation, counted for the whole and for its model. */
export function countInvocation({ models, ...whole }: ExecutionStats, invocation: Invocation): ExecutionStats {
  const { models: _none, ...empty } = noExecutions();
  const ofModel = Object.hasOwn(models, invocation.model) ? (models[invocation.model] ?? empty) : empty;
  return {
    ...counted(whole, invocation),
    models: { ...models, [invocation.model]: counted(ofModel, invocation) },
  };
}

function counted(counts: InvocationCounts, { model, retriesDone, failure }: Invocation): InvocationCounts {
  const total_invocations = counts.total_invocations + 1;
  if (failure === null) {
    return {
      ...counts,
      total_invocations,
      successful_invocations: counts.successful_invocations + 1,
      retry_count: retriesDone === 0 ? counts.retry_count : oneMore(counts.retry_count, String(retriesDone)),
    };
  }
  const failed = { ...counts, total_invocations, failed_invocations: counts.failed_invocations + 1 };
  return failure === 'timeout'
    ? { ...failed, timeouts: oneMore(counts.timeouts, model) }
    : { ...failed, errors_by_type: oneMore(counts.errors_by_type, failure) };
}

const oneMore = (counts: Readonly<Record<string, number>>, key: string): Record<string, number> => ({
  ...counts,
  [key]: (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1,
});

/** The statistics as their file holds them: with the share of invocations that succeeded. */
export function statsDocument({ models, ...whole }: ExecutionStats): object {
  const withRate = (counts: InvocationCounts): object => ({
    ...counts,
    success_rate: successRate({ successful: counts.successful_invocations, failed: counts.failed_invocations }),
  });
  return {
    ...withRate(whole),
    models: Object.fromEntries(Object.entries(models).map(([model, counts]) => [model, withRate(counts)])),
  };
}
