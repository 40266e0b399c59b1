import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CaseContext } from '../case/case-state.ts';
import { retryUnusable } from '../models/bad-answer.ts';
import type { CallResult } from '../models/model-port.ts';
import type { Tried } from '../retry/try-again.ts';
import { tryAgain } from '../retry/try-again.ts';

const measuringTries = 2;

/** What a measuring call needs of a case, or of whoever measures without one. */
export type MeasuringContext = Pick<CaseContext, 'ports' | 'signal' | 'deadlineAtMs'> & {
  work: Pick<CaseWork, 'limits'>;
};

/** A call of the measuring side (judge, embeddings): two tries, an unusable answer counting as a failed one. */
export function measuringCall<T>(
  { work, ports, signal, deadlineAtMs }: MeasuringContext,
  attempt: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<Tried<T>> {
  return tryAgain(ports, {
    tries: measuringTries,
    timeoutMs: work.limits.agentTimeoutMs,
    signal,
    deadlineAtMs,
    attempt: async (trySignal) => retryUnusable(await attempt(trySignal)),
  });
}
