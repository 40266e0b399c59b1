import { classifyFailure, parseRetryAfter } from '@proofmark/domain/retry-policy';
import type { CallFailure, ErrorClass } from '../retry/call-failure.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { badAnswer } from './bad-answer.ts';
import { AbandonedStream, RefusedAnswer, UnusableStream } from './refused-answer.ts';

/** An answer with an error status, as the SDK reports it. */
export interface StatusError {
  status: number;
  message: string;
  code: string | null;
  /** What of the request the provider objects to; null when it does not say. */
  param?: string | null;
  requestId: string | null;
  header: (name: string) => string | null;
}

/** What an error status means for the next try. The text is not masked yet. */
export function describeStatus(error: StatusError, now: Date, who = 'The provider'): CallFailure {
  const failureClass = classifyFailure(error);
  const request = error.requestId ? ` (request ${error.requestId})` : '';
  return {
    kind: 'agent',
    errorClass: classOfStatus(error.status),
    message: `${adviceFor(error)}${who} answered ${error.message}${request}`,
    retryable: failureClass === 'transient',
    ...(failureClass === 'refused' && { isRefusal: true as const }),
    ...(failureClass === 'transient' && error.status === 429 && { isThrottled: true as const }),
    retryAfterMs: parseRetryAfter(
      { retryAfter: error.header('retry-after'), retryAfterMs: error.header('retry-after-ms') },
      now.getTime(),
    ),
  };
}

function classOfStatus(status: number): ErrorClass {
  if (status === 401 || status === 403) return 'AuthenticationError';
  if (status === 429) return 'RateLimitError';
  return status >= 500 ? 'ServerError' : 'BadRequestError';
}

/**
 * Some models have one temperature only: a value that somebody wrote is never dropped silently, so whoever wrote it has to
 * change it. What to do comes first, because lists show the beginning of a reason alone.
 */
const adviceFor = ({ status, code, param, message }: StatusError): string => {
  const isTemperature = param === 'temperature' || /\binvalid temperature\b/i.test(message);
  const isValue = code === 'unsupported_value' || /\bonly\b/i.test(message);
  return status === 400 && isTemperature && isValue
    ? 'Write the temperature that this model takes, usually 1, where another one stands (the variable Temperature or the AI configuration), or leave it out. '
    : '';
};

/** What a call that got no answer means: our own refusals are final, everything else of the network may pass. */
export function describeBrokenCall(error: unknown): CallFailure {
  const root = rootCause(error);
  if (root instanceof RefusedAnswer) {
    return {
      ...finalFailure(root.reason === 'too_large' ? 'limit' : 'agent', root.message),
      errorClass: 'BadAnswerError',
    };
  }
  if (root instanceof UnusableStream) return badAnswer(root.message).failure;
  if (root instanceof AbandonedStream) return describeAbandoned(root);
  if (root instanceof SyntaxError) {
    return { ...finalFailure('agent', `The answer is not JSON: ${root.message}`), errorClass: 'BadAnswerError' };
  }
  const message = root instanceof Error ? root.message || root.name : String(root);
  const code = root instanceof Error && 'code' in root ? ` (${String(root.code)})` : '';
  return {
    ...{ kind: 'agent', errorClass: 'ConnectionError', retryable: true, retryAfterMs: null },
    message: `Connection error: ${message}${code}`,
  };
}

/** A stream that its provider gave up is as broken as one that was cut, unless the error itself says that it will not pass. */
function describeAbandoned(error: AbandonedStream): CallFailure {
  const failureClass = classifyFailure(error);
  return {
    kind: 'agent',
    errorClass: 'ServerError',
    message: `The provider broke the answer off with an error: ${error.message}`,
    retryable: failureClass === 'transient',
    ...(failureClass === 'refused' && { isRefusal: true as const }),
    retryAfterMs: null,
  };
}

function rootCause(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}
