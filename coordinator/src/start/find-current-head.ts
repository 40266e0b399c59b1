import type { Trigger } from '@proofmark/contracts/start-run-input';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { FoundRepository } from './find-repository.ts';

export interface CurrentHead {
  currentHead: string | null;
  /** With what the forge knows of where the head stands. */
  trigger: Trigger;
}

/**
 * The head that the pull request of a run has by now: jobs of several pushes may start in any order. That of the run
 * where nobody can be asked; null when it is about no pull request.
 */
export async function findCurrentHead(
  forge: Partial<Pick<FeedbackPort, 'pullRequest'>> | null,
  repository: FoundRepository | null,
  trigger: Trigger,
): Promise<CurrentHead> {
  const { pullRequest, headSha } = trigger;
  if (pullRequest === null || headSha === null) return { currentHead: null, trigger };
  const told = { currentHead: headSha, trigger };
  if (forge?.pullRequest === undefined || repository?.isReporting !== true) return told;
  try {
    const now = await forge.pullRequest(repository, pullRequest, headSha);
    if (now === null) return told;
    return { currentHead: now.headSha, trigger: now.isFork ? { ...trigger, isFork: true } : trigger };
  } catch {
    // The forge being down must not stop a run.
    return told;
  }
}
