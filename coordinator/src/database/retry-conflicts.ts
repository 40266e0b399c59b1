import { setTimeout as pause } from 'node:timers/promises';
import { doubledPauseMs } from '@proofmark/domain/retry-policy';

/** Serialisation failure, deadlock, lock timeout: nothing happened, and the same work can succeed a moment later. */
const conflicts = new Set(['40001', '40P01', '55P03']);
const retries = 3;

/** Does the work, and again up to three times when it lost against another transaction. The work starts its own transaction. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === retries || !isConflict(error)) throw error;
      await pause(doubledPauseMs(10, attempt) * (1 + Math.random()));
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && conflicts.has(error.code);
}
