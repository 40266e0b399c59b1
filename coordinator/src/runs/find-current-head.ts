import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { FoundRepository } from './find-repository.ts';
import type { Trigger } from './start-run-input.ts';

/**
 * The head that the pull request of a run has by now: jobs of several pushes may start in any order. That of the run
 * where nobody can be asked; null when it is about no pull request.
 */
export async function findCurrentHead(
  forge: Partial<Pick<FeedbackPort, 'pullRequest'>> | null,
  repository: FoundRepository | null,
  { pullRequest, headSha }: Trigger,
): Promise<string | null> {
  if (pullRequest === null || headSha === null) return null;
  if (forge?.pullRequest === undefined || repository?.isReporting !== true) return headSha;
  try {
    return (await forge.pullRequest(repository, pullRequest, headSha))?.headSha ?? headSha;
  } catch {
    // The forge being down must not stop a run.
    return headSha;
  }
}
