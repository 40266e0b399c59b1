import { abortScope } from './abort-scope.ts';
import type { CallFailure } from './call-failure.ts';
import { finalFailure } from './call-failure.ts';
import { longestRetryAfterMs, retryDelayMs } from './retry-policy.ts';

export interface RetryPorts {
  clock: { monotonicMs(): number };
  random: () => number;
  /** Waits before the next try. Whoever runs many cases gives this one's slot away meanwhile. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Tries<T> {
  tries: number;
  timeoutMs: number;
  /** Ends everything, pauses included. */
  signal: AbortSignal;
  /** When `signal` will end by itself, on the monotonic clock: no pause is begun that could not end before it. */
  deadlineAtMs: number;
  attempt: (signal: AbortSignal) => Promise<{ ok: true; value: T } | { ok: false; failure: CallFailure }>;
}

export type Tried<T> =
  | { ok: true; value: T; latencyMs: number; retryCount: number }
  | { ok: false; failure: CallFailure; retryCount: number };

/** The first success, with the time of that try alone, or the last failure. Rejects only when `signal` is aborted. */
export async function tryAgain<T>(ports: RetryPorts, options: Tries<T>): Promise<Tried<T>> {
  for (let retryCount = 0; ; retryCount += 1) {
    const startedAt = ports.clock.monotonicMs();
    const result = await tryOnce(options);
    if (result.ok)
      return { ok: true, value: result.value, latencyMs: ports.clock.monotonicMs() - startedAt, retryCount };
    const next = afterFailure(result.failure, { retryCount, options, ports });
    if ('failure' in next) return { ok: false, failure: next.failure, retryCount };
    await ports.pause(next.waitMs, options.signal);
  }
}

async function tryOnce<T>({ attempt, signal, timeoutMs }: Tries<T>): ReturnType<Tries<T>['attempt']> {
  signal.throwIfAborted();
  using scope = abortScope(signal, timeoutMs);
  try {
    const result = await attempt(scope.signal);
    if (result.ok || !scope.timedOut) return result;
  } catch (error) {
    if (!scope.timedOut || signal.aborted) throw error;
  }
  return {
    ok: false,
    failure: { kind: 'timeout', message: `Timeout after ${timeoutMs}ms`, retryable: true, retryAfterMs: null },
  };
}

interface Situation {
  retryCount: number;
  options: Pick<Tries<unknown>, 'tries' | 'deadlineAtMs'>;
  ports: RetryPorts;
}

function afterFailure(
  failure: CallFailure,
  { retryCount, options, ports }: Situation,
): { waitMs: number } | { failure: CallFailure } {
  if (!failure.retryable || options.tries === 1) return { failure };
  if (retryCount + 1 >= options.tries) {
    return { failure: { ...failure, message: `Failed after ${options.tries} attempts: ${failure.message}` } };
  }
  const waitMs = failure.retryAfterMs ?? retryDelayMs(retryCount, ports.random());
  const isTooLong = waitMs > longestRetryAfterMs || ports.clock.monotonicMs() + waitMs >= options.deadlineAtMs;
  if (failure.retryAfterMs !== null && isTooLong) {
    return {
      failure: finalFailure('agent', `The provider asks to wait ${Math.ceil(waitMs / 1000)} s: ${failure.message}`),
    };
  }
  return { waitMs };
}
