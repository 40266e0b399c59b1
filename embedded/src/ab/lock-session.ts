import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SessionId } from '@proofmark/contracts/ab-session';
import { heldWords, lockFolder } from '../resume/lock-folder.ts';
import { asExecution } from './execution-error.ts';

export type SessionLock = AsyncDisposable & ({ ok: true } | { ok: false; reason: string });

const unlocked: SessionLock = { ok: true, [Symbol.asyncDispose]: async () => undefined };

interface Locked {
  resultsDirectory: string;
  sessionId: string;
  /** Whether it has to be there already: then its folder is not made. */
  isResumed: boolean;
}

/** The session for this process alone: two that go on with it would ask the same questions. */
export async function lockSession({ resultsDirectory, sessionId, isResumed }: Locked): Promise<SessionLock> {
  const folder = join(resultsDirectory, sessionId);
  // Whoever opens the session says what is wrong with its id, or that there is none.
  if (!SessionId.safeParse(sessionId).success || (isResumed && !existsSync(folder))) return unlocked;
  return await asExecution('The session cannot be started', async () => {
    const lock = await lockFolder(folder);
    return lock.ok ? lock : { ...unlocked, ok: false, reason: heldWords(sessionId, lock) };
  });
}
