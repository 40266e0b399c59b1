/** What a failed call tells: `transient` may pass, `refused` means key or quota and counts for the breaker, `final` never changes. */
export type FailureClass = 'transient' | 'refused' | 'final';

export interface CallFault {
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
