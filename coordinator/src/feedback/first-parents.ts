import { z } from 'zod';
import type { RepositoryClient } from './github-app.ts';

const Commits = z.array(z.object({ sha: z.string(), parents: z.array(z.object({ sha: z.string() })) }));

/** One page of history holds the chain of almost every repository; a chain that leaves it ends there. */
const perPage = 100;

/** The commit and its first-parent ancestors, newest first, at most so many. */
export async function firstParents(client: RepositoryClient, sha: string, most: number): Promise<string[]> {
  const answer = await client.request('GET /repos/{owner}/{repo}/commits', {
    owner: client.owner,
    repo: client.repo,
    sha,
    per_page: perPage,
  });
  const parents = new Map(Commits.parse(answer.data).map((commit) => [commit.sha, commit.parents[0]?.sha]));
  const chain: string[] = [];
  for (let at: string | undefined = sha; at !== undefined && chain.length < most; at = parents.get(at)) chain.push(at);
  return chain;
}
