import type { GithubServer } from '../github-server.ts';
import { asUser } from './as-user.ts';
import { PullRequest } from './shapes.ts';

type NewPullRequest = {
  repository: string;
  head: string;
  base?: string;
  title?: string;
  body?: string;
  draft?: boolean;
};

/** Opens a pull request between two branches that exist. */
export async function openPullRequest(
  github: GithubServer,
  { repository, base = 'main', title = 'Change the agent', ...more }: NewPullRequest,
): Promise<PullRequest> {
  const body = { base, title, ...more };
  return PullRequest.parse(await asUser(github, { method: 'POST', path: `/repos/${repository}/pulls`, body }));
}

/** The pull request as it is now. */
export async function readPullRequest(github: GithubServer, repository: string, number: number): Promise<PullRequest> {
  return PullRequest.parse(await asUser(github, { path: `/repos/${repository}/pulls/${number}` }));
}

/** Closes it without merging. */
export async function closePullRequest(github: GithubServer, repository: string, number: number): Promise<void> {
  await asUser(github, { method: 'PATCH', path: `/repos/${repository}/pulls/${number}`, body: { state: 'closed' } });
}
