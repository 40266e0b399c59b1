import { z } from 'zod';
import { type Answer, paged } from './answer.ts';
import { maintainer } from './emulator.ts';
import { forward } from './forward.ts';
import { ChangedFile, Comparison, PullRequest, Ref, Tree, User } from './shapes.ts';
import type { Request, Route, World } from './world.ts';

const repository = '/repos/:owner/:repo';

/** What a push means for pull requests, which the emulator leaves out; the rest of them is the emulator's. */
export const pullRequestRoutes: Route[] = [
  { method: 'GET', path: `${repository}/pulls`, handle: listPullRequests },
  { method: 'POST', path: `${repository}/pulls`, handle: openPullRequest },
  { method: 'GET', path: `${repository}/pulls/:number`, handle: showPullRequest },
  { method: 'PATCH', path: `${repository}/pulls/:number`, handle: changePullRequest },
  { method: 'PUT', path: `${repository}/pulls/:number/merge`, handle: mergePullRequest },
  { method: 'GET', path: `${repository}/pulls/:number/files`, handle: listFiles },
  { method: 'GET', path: `${repository}/pulls/:number/commits`, handle: listCommits },
];

type Params = Record<string, string>;

/** An answer about a pull request with the head that it really has, and from where and whom a test wants it to be. */
export function withCurrentHead<Body>(world: World, body: Body): Body {
  const parsed = PullRequest.safeParse(body);
  if (!parsed.success) return body;
  const { base, head, number } = parsed.data;
  const { full_name: repository } = base.repo;
  const sha = world.pullHeads.shaOf(repository, number) ?? head.sha;
  const isFork = world.forkBranches.has(`${repository}:${head.ref}`);
  const author = world.authors.get(`${repository}#${number}`);
  return {
    ...body,
    head: { ...head, sha, ...(isFork ? { repo: strangersFork } : {}) },
    ...(author === undefined ? {} : { user: { login: author, id: 49_699_333 } }),
  };
}

/** Its commits are reachable here by their ids, as those of every fork are on GitHub. */
const strangersFork = {
  ...{ id: 9_000_001, name: 'fork', full_name: 'stranger/fork', default_branch: 'main', private: false },
  owner: { login: 'stranger', id: 9_000_000 },
};

async function listPullRequests(world: World, request: Request): Promise<Answer> {
  const answer = await forward(world, request);
  const body = Array.isArray(answer.body)
    ? answer.body.map((each: unknown) => withCurrentHead(world, each))
    : answer.body;
  return { ...answer, body };
}

async function showPullRequest(world: World, request: Request): Promise<Answer> {
  const answer = await forward(world, request);
  if (answer.status !== 200) return answer;
  const body = withCurrentHead(world, answer.body);
  const { total_commits } = await comparisonOf(world, PullRequest.parse(body));
  const files = await changedFiles(world, PullRequest.parse(body));
  const sum = (field: 'additions' | 'deletions') => files.reduce((total, file) => total + file[field], 0);
  const counts = {
    changed_files: files.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    commits: total_commits,
  };
  return { ...answer, body: { ...PullRequest.parse(body), ...counts } };
}

async function openPullRequest(world: World, request: Request): Promise<Answer> {
  const answer = await forward(world, request);
  if (answer.status === 201) world.pullHeads.add(PullRequest.parse(answer.body));
  return answer;
}

async function changePullRequest(world: World, request: Request): Promise<Answer> {
  const answer = await forward(world, request);
  if (answer.status !== 200) return answer;
  const { base, number, state } = PullRequest.parse(answer.body);
  world.pullHeads.setOpen(base.repo.full_name, number, state === 'open');
  return { ...answer, body: withCurrentHead(world, answer.body) };
}

async function mergePullRequest(world: World, request: Request, { owner, repo, number }: Params): Promise<Answer> {
  const answer = await forward(world, request);
  if (answer.status === 200) world.pullHeads.setOpen(`${owner}/${repo}`, Number(number), false);
  return answer;
}

async function listFiles(world: World, request: Request, params: Params): Promise<Answer> {
  return listOf(world, request, params, (pull) => changedFiles(world, pull));
}

async function changedFiles(world: World, pull: PullRequest): Promise<ChangedFile[]> {
  const comparison = await comparisonOf(world, pull);
  // A comparison ends at 300 files; beyond that the trees say which files differ.
  return comparison.files.length < 300 ? comparison.files : differingFiles(world, pull, comparison);
}

async function listCommits(world: World, request: Request, params: Params): Promise<Answer> {
  return listOf(world, request, params, async (pull) => (await comparisonOf(world, pull)).commits);
}

async function listOf<Item>(
  world: World,
  request: Request,
  { owner, repo, number }: Params,
  items: (pull: PullRequest) => Promise<Item[]>,
): Promise<Answer> {
  const url = new URL(`/repos/${owner}/${repo}/pulls/${number}`, request.url);
  const answer = await forward(world, { ...request, url });
  if (answer.status !== 200) return answer;
  const pull = PullRequest.parse(withCurrentHead(world, answer.body));
  const { slice, headers } = paged(await items(pull), request.url);
  return { status: 200, body: slice, headers };
}

async function comparisonOf({ emulator }: World, { base, head }: PullRequest): Promise<Comparison> {
  const path = `/repos/${base.repo.full_name}/compare/${base.sha}...${head.sha}`;
  return Comparison.parse((await emulator.send({ method: 'GET', path })).body);
}

async function differingFiles(
  world: World,
  { base, head }: PullRequest,
  comparison: Comparison,
): Promise<ChangedFile[]> {
  const before = await blobsOf(world, base.repo.full_name, comparison.merge_base_commit.commit.tree.sha);
  const after = await blobsOf(world, base.repo.full_name, head.sha);
  const stub = { additions: 1, deletions: 0, changes: 1 };
  const changed = [...after]
    .filter(([path, sha]) => before.get(path) !== sha)
    .map(([filename, sha]) => ({ sha, filename, status: before.has(filename) ? 'modified' : 'added', ...stub }));
  const removed = [...before]
    .filter(([path]) => !after.has(path))
    .map(([filename, sha]) => ({ sha, filename, status: 'removed', ...stub }));
  return [...changed, ...removed].map((file) => ChangedFile.parse(file));
}

async function blobsOf({ emulator }: World, fullName: string, treeOrCommit: string): Promise<Map<string, string>> {
  const path = `/repos/${fullName}/git/trees/${treeOrCommit}?recursive=1`;
  const { tree } = Tree.parse((await emulator.send({ method: 'GET', path })).body);
  return new Map(tree.filter(({ type }) => type === 'blob').map((entry) => [entry.path, entry.sha]));
}

/** After a branch was written: moves the heads of its pull requests and tells the App; a deleted branch closes them. */
export async function followBranch(world: World, fullName: string, branch: string): Promise<void> {
  const answer = await world.emulator.send({ method: 'GET', path: `/repos/${fullName}/git/ref/heads/${branch}` });
  for (const head of world.pullHeads.onBranch(fullName, branch)) {
    const path = `/repos/${head.repository}/pulls/${head.number}`;
    if (answer.status !== 200) {
      head.isOpen = false;
      await world.emulator.send({ method: 'PATCH', path, body: { state: 'closed' } });
      continue;
    }
    const before = head.sha;
    head.sha = Ref.parse(answer.body).object.sha;
    if (head.sha === before) continue;
    const pull = PullRequest.parse(withCurrentHead(world, (await world.emulator.send({ method: 'GET', path })).body));
    const sender = User.parse((await world.emulator.send({ method: 'GET', path: `/users/${maintainer.login}` })).body);
    const payload = {
      number: head.number,
      before,
      after: head.sha,
      pull_request: pull,
      repository: pull.base.repo,
      sender,
    };
    await world.webhooks.send('pull_request', { action: 'synchronize', ...payload });
  }
}

const NewRef = z.looseObject({ ref: z.string() });
const ContentsChange = z.looseObject({ branch: z.string().optional() });

/** The branch that a successful write to git data or contents changed; undefined for any other request. */
export function writtenBranch({ method, url, body }: Request, defaultBranch: string): string | undefined {
  if (method === 'GET') return undefined;
  const room = url.pathname.split('/').slice(4).map(decodeURIComponent);
  if (room[0] === 'contents') return ContentsChange.safeParse(body).data?.branch ?? defaultBranch;
  if (room[0] !== 'git' || room[1] !== 'refs') return undefined;
  const ref = room.length > 2 ? room.slice(2).join('/') : (NewRef.safeParse(body).data?.ref ?? '');
  return /^(?:refs\/)?heads\/(.+)$/.exec(ref)?.[1];
}
