import type { Trigger } from '@proofmark/contracts/start-run-input';
import type { Caller } from '../access/caller.ts';

/** The trigger of a run, where what the issuer signed for a CI job replaces what the job says about itself. */
export function trustedTrigger(caller: Caller, given: Trigger): Trigger {
  if (caller.kind !== 'run' || caller.claims === null) return given;
  const { host, repositoryId, repository, event, ref, workflowRunId, workflowRunAttempt, sha } = caller.claims;
  const isPullRequest = event === 'pull_request';
  return {
    ...given,
    triggeredBy: event === 'schedule' ? 'schedule' : 'ci',
    host,
    repositoryExternalId: repositoryId,
    repositoryFullName: repository,
    event,
    ref,
    workflowRunId,
    workflowRunAttempt,
    // For a pull request the token holds the synthetic merge commit, and the number stands in the ref.
    headSha: isPullRequest ? given.headSha : (sha ?? given.headSha),
    pullRequest: isPullRequest ? pullRequestOf(ref) : null,
  };
}

function pullRequestOf(ref: string): number | null {
  const number = /^refs\/pull\/(\d{1,9})\//.exec(ref)?.[1];
  return number === undefined ? null : Number(number);
}

const baseEvents = new Set(['push', 'schedule', 'workflow_dispatch']);
const usualDefaults = ['main', 'master'];

interface BaseQuestion {
  trigger: Trigger;
  /** Null where nobody asked the forge. */
  defaultBranch: string | null;
  baselineBranches: readonly string[];
  mayWriteBase: boolean;
}

/** Whether later runs may be compared with this one: it ran on a base branch, and the caller may say so. */
export function isBaseRun({ trigger, defaultBranch, baselineBranches, mayWriteBase }: BaseQuestion): boolean {
  const { event, ref, headSha, pullRequest, repositoryExternalId } = trigger;
  if (!mayWriteBase || pullRequest !== null || headSha === null || repositoryExternalId === null) return false;
  if (event !== null && !baseEvents.has(event)) return false;
  const branches = [...(defaultBranch === null ? usualDefaults : [defaultBranch]), ...baselineBranches];
  return branches.some((branch) => ref === `refs/heads/${branch}` || ref === branch);
}

const comparedEvents = new Set(['pull_request', 'merge_group']);

/** A proposal: it may change no stored definition, and it is what gets compared. */
export const isProposal = ({ event, pullRequest }: Trigger): boolean =>
  pullRequest !== null || (event !== null && comparedEvents.has(event));
