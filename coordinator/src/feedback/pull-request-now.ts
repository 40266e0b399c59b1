import { z } from 'zod';
import type { PullRequestNow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';

const Side = z.object({ repo: z.object({ id: z.number() }).nullable() });
const PullRequest = z.object({ state: z.string(), head: Side.extend({ sha: z.string() }), base: Side });
const Permission = z.object({ permission: z.string() });

/** The pull request with the head that it has at this moment. */
export async function readPullRequest(
  { owner, repo, request }: RepositoryClient,
  number: number,
): Promise<PullRequestNow> {
  const answer = await request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo, pull_number: number });
  const { state, head, base } = PullRequest.parse(answer.data);
  const isFork = head.repo === null || head.repo.id !== base.repo?.id;
  return { headSha: head.sha, isOpen: state === 'open', isFork };
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
