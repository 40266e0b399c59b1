import type { GithubServer } from '../github-server.ts';
import { asUser } from './as-user.ts';
import { maintainer, organisation } from './emulator.ts';
import { readPullRequest } from './pull-request.ts';
import { branchSha } from './repository.ts';
import { type PullRequest, Repository, Sha, User } from './shapes.ts';

export type GithubEvent =
  | { name: 'pull_request'; number: number; action?: string /** The head before a synchronize. */; before?: string }
  | { name: 'push'; branch?: string; before?: string }
  | { name: 'merge_group'; headSha: string; baseSha: string; baseRef?: string }
  | { name: 'workflow_dispatch'; branch?: string; inputs?: Record<string, string> }
  | { name: 'schedule'; cron?: string };

/** What a job knows about the event that started it. */
export type EventContext = {
  name: GithubEvent['name'];
  payload: Record<string, unknown>;
  /** GITHUB_SHA: on a pull request the merge commit, not the head. */
  sha: string;
  ref: string;
  refName: string;
  headRef: string;
  baseRef: string;
};

const zeros = '0'.repeat(40);

/** The payload and the git context of an event, as GitHub makes them. */
export async function describeEvent(github: GithubServer, fullName: string, event: GithubEvent): Promise<EventContext> {
  const repository = Repository.parse(await asUser(github, { path: `/repos/${fullName}` }));
  const sender = User.parse(await asUser(github, { path: `/users/${maintainer.login}` }));
  const common = { repository, organization: { login: organisation, id: repository.owner.id }, sender };
  switch (event.name) {
    case 'pull_request':
      return describePullRequest(github, fullName, event, common);
    case 'merge_group': {
      const base = event.baseRef ?? repository.default_branch;
      const ref = `refs/heads/gh-readonly-queue/${base}/pr-1-${event.baseSha}`;
      const group = { head_sha: event.headSha, head_ref: ref, base_sha: event.baseSha, base_ref: `refs/heads/${base}` };
      const payload = {
        action: 'checks_requested',
        merge_group: { ...group, head_commit: { id: event.headSha } },
        ...common,
      };
      return onBranch({ name: event.name, payload, sha: event.headSha, branch: ref.slice('refs/heads/'.length) });
    }
    case 'push':
    case 'schedule':
    case 'workflow_dispatch': {
      const branch = ('branch' in event ? event.branch : undefined) ?? repository.default_branch;
      const sha = (await branchSha(github, fullName, branch)) ?? zeros;
      return onBranch({ name: event.name, payload: { ...detailsOf(event, branch, sha), ...common }, sha, branch });
    }
  }
}

type BranchEvent = Extract<GithubEvent, { name: 'push' | 'workflow_dispatch' | 'schedule' }>;

function detailsOf(event: BranchEvent, branch: string, sha: string): Record<string, unknown> {
  const ref = `refs/heads/${branch}`;
  if (event.name === 'schedule') return { schedule: event.cron ?? '17 3 * * *' };
  if (event.name === 'workflow_dispatch')
    return { ref, inputs: event.inputs ?? {}, workflow: '.github/workflows/proofmark.yml' };
  const { before = zeros } = event;
  const head_commit = { id: sha, message: 'Change files' };
  return {
    ref,
    before,
    after: sha,
    created: before === zeros,
    deleted: false,
    forced: false,
    base_ref: null,
    commits: [head_commit],
    head_commit,
  };
}

function onBranch({
  name,
  payload,
  sha,
  branch,
}: Pick<EventContext, 'name' | 'payload' | 'sha'> & { branch: string }): EventContext {
  return { name, payload, sha, ref: `refs/heads/${branch}`, refName: branch, headRef: '', baseRef: '' };
}

type PullRequestEvent = Extract<GithubEvent, { name: 'pull_request' }>;

async function describePullRequest(
  github: GithubServer,
  fullName: string,
  { number, action = 'opened', before }: PullRequestEvent,
  common: Record<string, unknown>,
): Promise<EventContext> {
  const pull_request = await readPullRequest(github, fullName, number);
  const moved = action === 'synchronize' ? { before: before ?? zeros, after: pull_request.head.sha } : {};
  return {
    name: 'pull_request',
    payload: { action, number, ...moved, pull_request, ...common },
    sha: await mergeCommit(github, fullName, pull_request),
    ref: `refs/pull/${number}/merge`,
    refName: `${number}/merge`,
    headRef: pull_request.head.ref,
    baseRef: pull_request.base.ref,
  };
}

/** A commit that merges the head into the base, which belongs to no branch: the trap of GITHUB_SHA. */
async function mergeCommit(github: GithubServer, fullName: string, { base, head }: PullRequest): Promise<string> {
  const git = `/repos/${fullName}/git`;
  const tree = Sha.parse(await asUser(github, { path: `${git}/trees/${head.sha}` }));
  const body = { message: `Merge ${head.sha} into ${base.sha}`, tree: tree.sha, parents: [base.sha, head.sha] };
  return Sha.parse(await asUser(github, { method: 'POST', path: `${git}/commits`, body })).sha;
}
