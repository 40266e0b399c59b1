import { plural } from '../text/format-numbers.ts';
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
function baseDelayMs({ initialDelayMs, backoffFactor }: RetryPolicy, retriesDone: number): number {
  return initialDelayMs * backoffFactor ** retriesDone;
}

/** The same with jitter; `random` is in [0, 1). */
export function retryDelayMs(policy: RetryPolicy, retriesDone: number, random: number): number {
  return baseDelayMs(policy, retriesDone) * (1 + jitter * random);
}

/** A pause that doubles: `firstMs` where nothing was in vain yet, twice that after one try in vain, and at most `longestMs`. */
export const doubledPauseMs = (firstMs: number, triesInVain: number, longestMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** Math.min(triesInVain, 30), longestMs);

export const timeoutMessage = ({ timeoutMs }: RetryPolicy): string => `Timeout after ${timeoutMs}ms`;

/** One failed attempt, as far as it decides about the next. */
interface FailedAttempt {
  message: string;
  retryable: boolean;
  /** What the provider asked for; null: nothing usable. */
  retryAfterMs: number | null;
}

interface RetrySituation {
  /** Retries made so far: 0 after the first attempt. */
  retriesDone: number;
  random: number;
  /** Time left until everything must be over; absent: no end. */
  remainingMs?: number;
}

type RetryDecision = { retry: true; waitMs: number } | { retry: false; message: string };

/** Whether to try again and after which pause, or the message to end with. The provider's wish beats our own pause. */
export function decideRetry(policy: RetryPolicy, failed: FailedAttempt, situation: RetrySituation): RetryDecision {
  const { retriesDone, random, remainingMs = Number.POSITIVE_INFINITY } = situation;
  if (!failed.retryable) return { retry: false, message: failed.message };
  if (retriesDone + 1 >= policy.maxAttempts) {
    return { retry: false, message: `Failed after ${plural(policy.maxAttempts, 'attempt')}: ${failed.message}` };
  }
  const asked = failed.retryAfterMs;
  if (asked !== null && (asked > MAX_RETRY_AFTER_MS || asked >= remainingMs)) {
    return { retry: false, message: `The provider asks to wait ${Math.ceil(asked / 1000)} s: ${failed.message}` };
  }
  return { retry: true, waitMs: asked ?? retryDelayMs(policy, retriesDone, random) };
}

/** What a failed call tells: `transient` may pass, `refused` means key or quota and counts for the breaker, `final` never changes. */
type FailureClass = 'transient' | 'refused' | 'final';

interface CallFault {
  /** HTTP status; null when no answer came. */
  status: number | null;
  /** The provider's or the system's code: `insufficient_quota`, `ECONNRESET`. */
  code: string | null;
}

/** 402: the account is empty. */
const refusedStatuses: ReadonlySet<number> = new Set([401, 402, 403]);
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const quotaCodes: ReadonlySet<string> = new Set(['insufficient_quota', 'billing_hard_limit_reached']);
const finalCodes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'string_above_max_length',
  'content_filter',
  'content_policy_violation',
  'refused_redirect',
]);

/** Decides by the code first: a used-up quota answers 429 like a busy provider, but waiting does not refill it. */
export function classifyFailure({ status, code }: CallFault): FailureClass {
  if (code !== null && quotaCodes.has(code)) return 'refused';
  if (code !== null && finalCodes.has(code)) return 'final';
  // No answer: the connection failed, was cut in the middle or timed out.
  if (status === null) return 'transient';
  if (refusedStatuses.has(status)) return 'refused';
  return status >= 500 || transientStatuses.has(status) ? 'transient' : 'final';
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

interface RetryAfterHeaders {
  /** `retry-after`: seconds or a date. */
  retryAfter: string | null;
  /** `retry-after-ms`, which wins because it says more. */
  retryAfterMs: string | null;
}

/** The pause a provider asks for, in ms; null for none, for a date in the past and for everything else that makes no sense. */
export function parseRetryAfter({ retryAfter, retryAfterMs }: RetryAfterHeaders, nowMs: number): number | null {
  const milliseconds = readNumber(retryAfterMs);
  if (milliseconds !== null) return milliseconds;
  const seconds = readNumber(retryAfter);
  if (seconds !== null) return seconds * 1000;
  const date = retryAfter?.trim() ?? '';
  if (!httpDate.test(date)) return null;
  const waitMs = Date.parse(date) - nowMs;
  return waitMs >= 0 ? waitMs : null;
}

function readNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,12}(?:\.\d{1,6})?$/.test(text.trim())) return null;
  return Number(text);
}
