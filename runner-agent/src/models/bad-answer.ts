import { finalFailure } from '../retry/call-failure.ts';
import type { CallResult } from './model-port.ts';

/** An answer that came whole but is unusable: asking again would cost money for the same. */
export function badAnswer(message: string): {
  ok: false;
  failure: Extract<CallResult<never>, { ok: false }>['failure'];
} {
  return { ok: false, failure: finalFailure('agent', message) };
}
