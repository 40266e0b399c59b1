import type { ErrorKind } from '@proofmark/contracts/error-kind';

/** Failures that need different people: the key, the quota, the request, the server, the network, the answer. */
export type ErrorClass =
  | 'AuthenticationError'
  | 'RateLimitError'
  | 'BadRequestError'
  | 'ServerError'
  | 'ConnectionError'
  | 'BadAnswerError';

/** Why one try failed, already masked and fit to be shown. */
export interface CallFailure {
  kind: Extract<ErrorKind, 'agent' | 'timeout' | 'limit' | 'mock'>;
  message: string;
  retryable: boolean;
  /** How long the provider asks to wait; null when it does not say. */
  retryAfterMs: number | null;
  /** An answer came and is unusable. An agent's answer counts as it is; a measuring call may be repeated. */
  isAnswer?: true;
  /** It was sent back with what is wrong with it, and the next one was no better. */
  wasRepaired?: true;
  /** The provider does not accept the key, or its quota is used up: asking for something else would end the same way. */
  isRefusal?: true;
  /** The provider wants fewer calls (429). */
  isThrottled?: true;
  /** What went wrong by its nature, for those who count errors; absent: nothing more than its kind is known. */
  errorClass?: ErrorClass;
  /** No call was made, so it counts as no try. */
  isNotAsked?: true;
}

/** A failure that trying again cannot change. */
export function finalFailure(kind: CallFailure['kind'], message: string): CallFailure {
  return { kind, message, retryable: false, retryAfterMs: null };
}
