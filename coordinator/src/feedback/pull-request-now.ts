import { z } from 'zod';
import type { PullRequestNow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';

const PullRequest = z.object({ state: z.string(), head: z.object({ sha: z.string() }) });
const Permission = z.object({ permission: z.string() });

/** The pull request with the head that it has at this moment. */
export async function readPullRequest(
  { owner, repo, request }: RepositoryClient,
  number: number,
): Promise<PullRequestNow> {
  const answer = await request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo, pull_number: number });
  const { state, head } = PullRequest.parse(answer.data);
  return { headSha: head.sha, isOpen: state === 'open' };
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
