import { z } from 'zod';
import type { PullRequestNow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';

const Side = z.object({
  sha: z.string(),
  ref: z.string(),
  repo: z.object({ id: z.number(), full_name: z.string() }).nullable(),
});
const PullRequest = z.object({
  state: z.string(),
  merged: z.boolean().default(false),
  user: z.object({ login: z.string() }).nullable(),
  head: Side,
  base: Side,
});
const Permission = z.object({ permission: z.string() });

/** The pull request with the head that it has at this moment. */
export async function readPullRequest(
  { owner, repo, request }: RepositoryClient,
  number: number,
): Promise<PullRequestNow> {
  const answer = await request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo, pull_number: number });
  const { state, merged, user, head, base } = PullRequest.parse(answer.data);
  const isFork = head.repo === null || head.repo.id !== base.repo?.id;
  return {
    headSha: head.sha,
    headRef: head.ref,
    headRepository: head.repo?.full_name ?? null,
    baseSha: base.sha,
    author: user?.login ?? null,
    isOpen: state === 'open',
    isMerged: merged,
    isFork,
  };
}

/** Write, maintain and admin are told as `write` and `admin`. */
export async function readMayWrite({ owner, repo, request }: RepositoryClient, login: string): Promise<boolean> {
  const answer = await request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
    owner,
    repo,
    username: login,
  });
  const { permission } = Permission.parse(answer.data);
  return permission === 'write' || permission === 'admin';
}
