import { decideRetry, defaultRetryPolicy, type RetryPolicy, timeoutMessage } from '@proofmark/domain/retry-policy';
import type { CallFailure } from './call-failure.ts';
import { anyPlace, type Place } from './case-place.ts';
import { TryScope, type TrySignal } from './try-scope.ts';

export interface RetryPorts {
  clock: { monotonicMs(): number };
  random: () => number;
  /** Waits before the next try. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where the case waits. Absent: it keeps no other one from running. */
  place?: Place;
}

export interface Tries<T> {
  tries: number;
  timeoutMs: number;
  /** Ends everything, pauses included. */
  signal: AbortSignal;
  /** When `signal` will end by itself, on the monotonic clock: no pause is begun that could not end before it. */
  deadlineAtMs: number;
  attempt: (signal: TrySignal) => Promise<{ ok: true; value: T } | { ok: false; failure: CallFailure }>;
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
  const place = ports.place ?? anyPlace;
  // Also where nothing is waited for: all members of a panel enter before the first of them can wait aside.
  using _running = await place.enter(options.signal);
  for (let retryCount = 0; ; retryCount += 1) {
    const { result, latencyMs } = await tryOnce(ports, options, place);
    if (!result.ok && result.failure.isNotAsked) return { ok: false, failure: result.failure, retryCount };
    options.onTry?.({ retriesDone: retryCount, failure: result.ok ? null : result.failure });
    if (result.ok) return { ok: true, value: result.value, latencyMs, retryCount };
    const next = decideRetry(policyOf(options), failedTry(result.failure, options), {
      retriesDone: retryCount,
      random: ports.random(),
      remainingMs: options.deadlineAtMs - ports.clock.monotonicMs(),
    });
    if (!next.retry) return { ok: false, failure: { ...result.failure, message: next.message }, retryCount };
    await place.aside(() => ports.pause(next.waitMs, options.signal), options.signal);
  }
}

const policyOf = ({ backoff, tries, timeoutMs }: Omit<Tries<unknown>, 'attempt'>): RetryPolicy => ({
  ...{ ...defaultRetryPolicy, ...backoff },
  ...{ maxAttempts: tries, timeoutMs },
});

const failedTry = (failure: CallFailure, { isFinal = () => false }: Pick<Tries<unknown>, 'isFinal'>): CallFailure => ({
  ...failure,
  retryable: failure.retryable && !isFinal(),
});

type Attempt<T> = Awaited<ReturnType<Tries<T>['attempt']>>;

/** One try with the time that it took, without what it has waited for its turn to call and for connections to open. */
async function tryOnce<T>(
  { clock }: RetryPorts,
  { attempt, signal, timeoutMs, deadlineAtMs }: Tries<T>,
  place: Place,
): Promise<{ result: Attempt<T>; latencyMs: number }> {
  signal.throwIfAborted();
  using scope = new TryScope({ parent: signal, timeoutMs, deadlineAtMs, clock, place });
  const startedAt = clock.monotonicMs();
  let result: Attempt<T>;
  try {
    result = await attempt(scope.signal);
    if (!result.ok && scope.timedOut) result = timedOut(timeoutMs);
  } catch (error) {
    if (!scope.timedOut || signal.aborted) throw error;
    result = timedOut(timeoutMs);
  }
  return { result, latencyMs: clock.monotonicMs() - startedAt - scope.unmeasuredMs };
}

function timedOut(timeoutMs: number): { ok: false; failure: CallFailure } {
  const message = timeoutMessage({ ...defaultRetryPolicy, timeoutMs });
  return { ok: false, failure: { kind: 'timeout', message, retryable: true, retryAfterMs: null } };
}
