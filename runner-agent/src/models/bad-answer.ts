import { finalFailure } from '../retry/call-failure.ts';
import type { CallResult } from './model-port.ts';

/** An answer that came but is unusable. Asking an agent again would cost money for the same; `retryUnusable` is for judges. */
export function badAnswer(message: string): {
  ok: false;
  failure: Extract<CallResult<never>, { ok: false }>['failure'];
} {
  return { ok: false, failure: { ...finalFailure('agent', message), errorClass: 'BadAnswerError', isAnswer: true } };
}

/** The same result for a call of the measuring side, which is repeated when its answer is unusable. */
export function retryUnusable<T>(result: CallResult<T>): CallResult<T> {
  if (result.ok || !result.failure.isAnswer) return result;
  return { ok: false, failure: { ...result.failure, retryable: true } };
}
