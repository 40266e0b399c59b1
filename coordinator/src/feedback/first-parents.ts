import type { Ask } from '@proofmark/process/github';
import { z } from 'zod';

const Commits = z.array(z.object({ sha: z.string(), parents: z.array(z.object({ sha: z.string() })) }));

/** One page of history holds the chain of almost every repository. */
const perPage = 100;
/** Where branches with many commits were merged, a page ends before the chain does. */
const mostPages = 5;

/** The commit and its first-parent ancestors, newest first, at most so many. */
export async function firstParents(ask: Ask, sha: string, most: number): Promise<string[]> {
  const parents = new Map<string, string | undefined>();
  const chain: string[] = [];
  let at: string | undefined = sha;
  for (let pages = 0; at !== undefined && chain.length < most; ) {
    if (parents.has(at)) {
      chain.push(at);
      at = parents.get(at);
      continue;
    }
    if (pages === mostPages) break;
    pages += 1;
    const commits = await readHistory(ask, at);
    for (const commit of commits) parents.set(commit.sha, commit.parents[0]?.sha);
    // A history that does not begin with the commit that it was asked for has nothing to go on with.
    if (!parents.has(at)) break;
  }
  return chain;
}

async function readHistory(ask: Ask, sha: string): Promise<z.infer<typeof Commits>> {
  return Commits.parse(await ask('GET /repos/{owner}/{repo}/commits', { sha, per_page: perPage }));
}
