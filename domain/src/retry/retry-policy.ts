/** How often and how patiently something is tried: attempts = 1 + retries (C06). */
export interface RetryPolicy {
  maxAttempts: number;
  initialDelayMs: number;
  backoffFactor: number;
  /** Of one attempt. */
  timeoutMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 100,
  backoffFactor: 2,
  timeoutMs: 30_000,
};

/** Up to a fifth is added to every pause of our own, so that callers that failed together do not return together. */
const jitter = 0.2;

/** A provider that asks for a longer pause than this is not waited for. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** The pause before retry number `retriesDone` + 1 without jitter: 100, 200, 400 … */
export function baseDelayMs({ initialDelayMs, backoffFactor }: RetryPolicy, retriesDone: number): number {
  return initialDelayMs * backoffFactor ** retriesDone;
}

/** The same with jitter; `random` is in [0, 1). */
export function retryDelayMs(policy: RetryPolicy, retriesDone: number, random: number): number {
  return baseDelayMs(policy, retriesDone) * (1 + jitter * random);
}

/** All pauses of a policy without jitter: one less than attempts, none after the last. */
export function retryDelaysMs(policy: RetryPolicy): number[] {
  return Array.from({ length: Math.max(0, policy.maxAttempts - 1) }, (_, retriesDone) =>
    baseDelayMs(policy, retriesDone),
  );
}

export const timeoutMessage = ({ timeoutMs }: RetryPolicy): string => `Timeout after ${timeoutMs}ms`;

/** One failed attempt, as far as it decides about the next. */
export interface FailedAttempt {
  message: string;
  retryable: boolean;
  /** What the provider asked for; null: nothing usable. */
  retryAfterMs: number | null;
}

export interface RetrySituation {
  /** Retries made so far: 0 after the first attempt. */
  retriesDone: number;
  random: number;
  /** Time left until everything must be over; absent: no end. */
  remainingMs?: number;
}

export type RetryDecision = { retry: true; waitMs: number } | { retry: false; message: string };

/** Whether to try again and after which pause, or the message to end with. The provider's wish beats our own pause. */
export function decideRetry(policy: RetryPolicy, failed: FailedAttempt, situation: RetrySituation): RetryDecision {
  const { retriesDone, random, remainingMs = Number.POSITIVE_INFINITY } = situation;
  if (!failed.retryable) return { retry: false, message: failed.message };
  if (retriesDone + 1 >= policy.maxAttempts) {
    return { retry: false, message: `Failed after ${policy.maxAttempts} attempts: ${failed.message}` };
  }
  const asked = failed.retryAfterMs;
  if (asked !== null && (asked > MAX_RETRY_AFTER_MS || asked >= remainingMs)) {
    return { retry: false, message: `The provider asks to wait ${Math.ceil(asked / 1000)} s: ${failed.message}` };
  }
  return { retry: true, waitMs: asked ?? retryDelayMs(policy, retriesDone, random) };
}
