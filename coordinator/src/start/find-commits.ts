import type { Trigger } from '@proofmark/contracts/start-run-input';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { FoundRepository } from './find-repository.ts';
import { isProposal } from './trust-trigger.ts';

export interface MergeBase {
  mergeBaseSha: string | null;
  /** It and what came before it on the base branch; null where nobody could be asked. */
  ancestors: string[] | null;
}

/** As many commits back as a baseline may lie, the merge base itself included. */
const mostAncestors = 21;

/** Where a proposal left the base branch, as far as the forge can be asked: the base of a pull request is no merge base. */
export async function findMergeBase(
  forge: Pick<FeedbackPort, 'mergeBase' | 'ancestors'> | null,
  repository: FoundRepository | null,
  trigger: Trigger,
): Promise<MergeBase> {
  const { baseSha, headSha, event } = trigger;
  if (!isProposal(trigger) || baseSha === null || headSha === null) return { mergeBaseSha: null, ancestors: null };
  if (forge === null || repository?.isReporting !== true) return { mergeBaseSha: baseSha, ancestors: null };
  try {
    // The base of a merge group is a commit of the base branch already.
    const found = event === 'merge_group' ? baseSha : await forge.mergeBase(repository, baseSha, headSha);
    const mergeBaseSha = found ?? baseSha;
    return { mergeBaseSha, ancestors: await forge.ancestors(repository, mergeBaseSha, mostAncestors) };
  } catch {
    // The forge being down must not stop a run; the base of the pull request is the next best commit.
    return { mergeBaseSha: baseSha, ancestors: null };
  }
}

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
