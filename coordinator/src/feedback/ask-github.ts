import type { Ask } from '@proofmark/process/github';
import { z } from 'zod';
import type { CommittedFiles, PullRequestNow } from './feedback-port.ts';

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

const Tree = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.int().min(0).optional(),
    }),
  ),
});
const Blob = z.object({ content: z.string(), encoding: z.literal('base64') });

/** What a file of a case may have at most; definitions are far smaller. */
const maxBytes = 20 * 1024 * 1024;
const symbolicLink = '120000';

/** The files of a commit, read when they are asked for; null when there are more than GitHub lists. Links are left out. */
export async function committedFiles(ask: Ask, sha: string): Promise<CommittedFiles | null> {
  const wanted = { tree_sha: sha, recursive: '1' };
  const { truncated, tree } = Tree.parse(await ask('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', wanted));
  if (truncated) return null;
  const files = tree.filter(({ type, mode, size = 0 }) => type === 'blob' && mode !== symbolicLink && size <= maxBytes);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    paths: new Set(byPath.keys()),
    size: (path) => byPath.get(path)?.size ?? 0,
    blobSha: (path) => byPath.get(path)?.sha ?? null,
    read: async (path) => {
      const file = byPath.get(path);
      if (file === undefined) throw new Error(`${path} is not in ${sha}`);
      const answer = await ask('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha: file.sha });
      return Buffer.from(Blob.parse(answer).content, 'base64');
    },
  };
}

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
