import {
  decideRetry,
  defaultRetryPolicy,
  MAX_RETRY_AFTER_MS,
  type RetryPolicy,
  timeoutMessage,
} from '@proofmark/domain/retry-policy';
import { abortScope } from './abort-scope.ts';
import type { CallFailure } from './call-failure.ts';
import { pause } from './pause.ts';

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
  /** How long to wait between tries; absent: the default. */
  backoff?: Pick<RetryPolicy, 'initialDelayMs' | 'backoffFactor'>;
  /** Whether what the failed try has done must not be done again. */
  isFinal?: () => boolean;
  /** Told after every try that was not aborted from outside. */
  onTry?: (told: FinishedTry) => void;
}

export interface FinishedTry {
  /** Tries that failed before this one. */
  retriesDone: number;
  /** Null: it succeeded. */
  failure: CallFailure | null;
}

export type Tried<T> =
  | { ok: true; value: T; latencyMs: number; retryCount: number }
  | { ok: false; failure: CallFailure; retryCount: number };

/** The first success, with the time of that try alone, or the last failure. Rejects only when `signal` is aborted. */
export async function tryAgain<T>(ports: RetryPorts, options: Tries<T>): Promise<Tried<T>> {
  const policy = {
    ...defaultRetryPolicy,
    ...options.backoff,
    maxAttempts: options.tries,
    timeoutMs: options.timeoutMs,
  };
  for (let retryCount = 0; ; retryCount += 1) {
    const { result, startedAt } = await tryWhenAllowed(ports, options);
    const endedAt = ports.clock.monotonicMs();
    if (!result.ok && result.failure.isNotAsked) return { ok: false, failure: result.failure, retryCount };
    options.onTry?.({ retriesDone: retryCount, failure: result.ok ? null : result.failure });
    if (result.ok) return { ok: true, value: result.value, latencyMs: endedAt - startedAt, retryCount };
    const remainingMs = options.deadlineAtMs - endedAt;
    const retryable = result.failure.retryable && !(options.isFinal?.() ?? false);
    const failure = { ...result.failure, retryable };
    const next = decideRetry(policy, failure, { retriesDone: retryCount, random: ports.random(), remainingMs });
    if (!next.retry) return { ok: false, failure: { ...result.failure, message: next.message }, retryCount };
    await ports.pause(next.waitMs, options.signal);
  }
}

type Attempt<T> = Awaited<ReturnType<Tries<T>['attempt']>>;

/**
 * One try, as soon as its endpoint may be asked, but not after more than a minute. The slot is kept meanwhile: were it
 * given away, the next case would begin to wait for the same endpoint, and so on until none is left.
 */
async function tryWhenAllowed<T>(
  { clock }: RetryPorts,
  options: Tries<T>,
): Promise<{ result: Attempt<T>; startedAt: number }> {
  const endAt = Math.min(clock.monotonicMs() + MAX_RETRY_AFTER_MS, options.deadlineAtMs);
  for (;;) {
    const startedAt = clock.monotonicMs();
    const result = await tryOnce(options);
    const waitMs = result.ok || !result.failure.isNotAsked ? null : result.failure.retryAfterMs;
    const isOver = waitMs === null || options.isFinal?.() || clock.monotonicMs() + waitMs >= endAt;
    if (isOver) return { result, startedAt };
    await pause(waitMs, options.signal);
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
  const message = timeoutMessage({ ...defaultRetryPolicy, timeoutMs });
  return { ok: false, failure: { kind: 'timeout', message, retryable: true, retryAfterMs: null } };
}
