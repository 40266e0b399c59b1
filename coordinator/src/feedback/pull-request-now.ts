import type { Ask } from '@proofmark/process/github';
import { z } from 'zod';
import type { PullRequestNow } from './feedback-port.ts';

const Side = z.object({
  sha: z.string(),
  ref: z.string(),
  repo: z.object({ id: z.number(), full_name: z.string() }).nullable(),
});
const PullRequest = z.object({
  state: z.string(),
  merged: z.boolean().default(false),
  title: z.string().nullable().default(null),
  user: z.object({ login: z.string() }).nullable(),
  head: Side,
  base: Side,
});
const Permission = z.object({ permission: z.string() });

/** The pull request with the head that it has at this moment. */
export async function readPullRequest(ask: Ask, number: number): Promise<PullRequestNow> {
  const answer = await ask('GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: number });
  const { state, merged, title, user, head, base } = PullRequest.parse(answer);
  const isFork = head.repo === null || head.repo.id !== base.repo?.id;
  return {
    headSha: head.sha,
    headRef: head.ref,
    headRepository: head.repo?.full_name ?? null,
    baseSha: base.sha,
    author: user?.login ?? null,
    title: title?.slice(0, 1_000) ?? null,
    isOpen: state === 'open',
    isMerged: merged,
    isFork,
  };
}

/** Write, maintain and admin are told as `write` and `admin`. */
export async function readMayWrite(ask: Ask, login: string): Promise<boolean> {
  const answer = await ask('GET /repos/{owner}/{repo}/collaborators/{username}/permission', { username: login });
  const { permission } = Permission.parse(answer);
  return permission === 'write' || permission === 'admin';
}
