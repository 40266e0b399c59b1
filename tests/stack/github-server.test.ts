import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { proofmarkApp } from './github/emulator.ts';
import { closePullRequest, openPullRequest, readPullRequest } from './github/pull-request.ts';
import { annotations, checkRuns, comments } from './github/read-back.ts';
import { createRepository, pushCommit } from './github/repository.ts';
import { type GithubServer, startGithub } from './github-server.ts';

let github: GithubServer;
let repository: { id: number; full_name: string };
let count = 0;

beforeAll(async () => {
  // Much of what is asked here is what GitHub refuses.
  github = await startGithub({ isHeld: false });
});
afterAll(async () => github.stop());
beforeEach(async () => {
  repository = await createRepository(github, {
    name: `shop-${++count}`,
    files: { 'agent.yaml': 'instructions: Be good.\n' },
  });
});

async function appJwt(): Promise<string> {
  const claims = new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).setIssuer(String(proofmarkApp.id));
  return claims.setIssuedAt().setExpirationTime('5m').sign(createPrivateKey(github.app.privateKey));
}

async function call(
  method: string,
  path: string,
  { token, body, headers = {} }: { token: string; body?: unknown; headers?: Record<string, string> },
) {
  const answer = await fetch(github.apiUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

async function installationToken(id = repository.id): Promise<string> {
  const body = { repository_ids: [id], permissions: { checks: 'write', pull_requests: 'write', contents: 'read' } };
  const path = `/app/installations/${github.app.installationId}/access_tokens`;
  const answer = await call('POST', path, { token: await appJwt(), body });
  return z.object({ token: z.string() }).parse(answer.body).token;
}

const changed = { 'agent.yaml': 'instructions: Be bad.\n' };

async function changeOnBranch() {
  const { full_name } = repository;
  const sha = await pushCommit(github, { repository: full_name, branch: 'worse', files: changed });
  const pull = await openPullRequest(github, { repository: full_name, head: 'worse' });
  return { sha, pull, path: `/repos/${full_name}` };
}

it('shows a pull request with its real files, and moves its head when the branch is pushed', async () => {
  const { sha, pull, path } = await changeOnBranch();
  expect(pull.head.sha).toBe(sha);
  const token = await installationToken();
  const files = await call('GET', `${path}/pulls/${pull.number}/files`, { token });
  expect(files.body).toMatchObject([{ filename: 'agent.yaml', status: 'modified', additions: 1, deletions: 1 }]);

  const next = await pushCommit(github, {
    repository: repository.full_name,
    branch: 'worse',
    files: { 'new.yaml': 'a: 1\n' },
  });
  expect(next).not.toBe(sha);
  expect(await readPullRequest(github, repository.full_name, pull.number)).toMatchObject({
    head: { sha: next },
    changed_files: 2,
    commits: 2,
  });
});

it('compares by the merge base, and serves trees, blobs and contents of any commit', async () => {
  const { sha, pull, path } = await changeOnBranch();
  await pushCommit(github, { repository: repository.full_name, branch: 'main', files: { 'other.txt': 'x' } });
  const token = await installationToken();
  const comparison = await call('GET', `${path}/compare/main...${sha}`, { token });
  expect(comparison.body).toMatchObject({
    status: 'diverged',
    merge_base_commit: { sha: pull.base.sha },
    files: [{ filename: 'agent.yaml' }],
  });
  const content = await call('GET', `${path}/contents/agent.yaml?ref=${sha}`, { token });
  expect(Buffer.from(content.body.content, 'base64').toString()).toBe('instructions: Be bad.\n');
  const tree = await call('GET', `${path}/git/trees/${sha}?recursive=1`, { token });
  const entry = tree.body.tree.find((each: { path: string }) => each.path === 'agent.yaml');
  const blob = await call('GET', `${path}/git/blobs/${entry.sha}`, { token });
  expect(Buffer.from(blob.body.content, 'base64').toString()).toBe('instructions: Be bad.\n');
});

it('keeps a check run of the App: a conclusion completes it, annotations append, the pull request is named', async () => {
  const { sha, pull, path } = await changeOnBranch();
  const token = await installationToken();
  const annotation = {
    path: 'agent.yaml',
    start_line: 1,
    end_line: 1,
    annotation_level: 'failure',
    message: 'worse',
    title: 'Hours',
  };
  const output = { title: 'Regressed', summary: 'One case', annotations: [annotation] };
  const body = { name: 'proofmark', head_sha: sha, external_id: 'run:0', status: 'in_progress', output };
  const made = await call('POST', `${path}/check-runs`, { token, body });
  expect(made).toMatchObject({
    status: 201,
    body: {
      status: 'in_progress',
      app: { id: github.app.id, slug: 'proofmark' },
      pull_requests: [{ number: pull.number, head: { sha } }],
    },
  });

  const change = {
    conclusion: 'failure',
    output: { ...output, annotations: [{ ...annotation, start_line: 2, end_line: 2 }] },
  };
  await call('PATCH', `${path}/check-runs/${made.body.id}`, { token, body: change });
  const [run] = await checkRuns(github, repository.full_name, sha);
  expect(run).toMatchObject({
    name: 'proofmark',
    status: 'completed',
    conclusion: 'failure',
    external_id: 'run:0',
    output: { annotations_count: 2 },
  });
  expect(await annotations(github, repository.full_name, run?.id ?? 0)).toMatchObject([
    { start_line: 1, title: 'Hours', annotation_level: 'failure' },
    { start_line: 2, title: 'Hours' },
  ]);
});

it('lists the check runs of a ref by name and App, the latest or all, in pages', async () => {
  const { sha, path } = await changeOnBranch();
  const token = await installationToken();
  const jobToken = github.world.tokens.addJob(repository.id, { checks: 'write' });
  for (const name of ['a', 'a', 'b'])
    await call('POST', `${path}/check-runs`, { token, body: { name, head_sha: sha } });
  await call('POST', `${path}/check-runs`, { token: jobToken, body: { name: 'a', head_sha: sha } });

  const list = async (query: string) => {
    const { body, headers } = await call('GET', `${path}/commits/${sha}/check-runs?${query}`, { token });
    return {
      total: body.total_count,
      names: body.check_runs.map((run: { name: string }) => run.name),
      link: headers.get('link'),
    };
  };
  expect(await list(`app_id=${github.app.id}`)).toMatchObject({ total: 2, names: ['b', 'a'] });
  expect(await list('check_name=a&filter=all')).toMatchObject({ total: 3 });
  const first = await list('filter=all&per_page=3');
  expect(first).toMatchObject({ total: 4, names: ['a', 'b', 'a'] });
  expect(first.link).toContain(
    `${github.apiUrl}${path}/commits/${sha}/check-runs?filter=all&per_page=3&page=2>; rel="next"`,
  );
  expect((await list('filter=all&per_page=3&page=2')).names).toEqual(['a']);
});

it.for([
  ['no summary', { output: { title: 'x' } }, 422],
  [
    '51 annotations',
    {
      output: {
        title: 'x',
        summary: 'x',
        annotations: Array.from({ length: 51 }, () => ({
          path: 'a',
          start_line: 1,
          end_line: 1,
          annotation_level: 'notice',
          message: 'm',
        })),
      },
    },
    422,
  ],
  ['a summary of 65,536 bytes', { output: { title: 'x', summary: 'x'.repeat(65_536) } }, 422],
  [
    'a text of 33,000 characters with two bytes each',
    { output: { title: 'x', summary: 'x', text: 'é'.repeat(33_000) } },
    422,
  ],
  ['completed without conclusion', { status: 'completed' }, 422],
  ['a long button', { actions: [{ label: 'x'.repeat(21), description: 'd', identifier: 'i' }] }, 422],
  ['an unknown commit', { head_sha: 'f'.repeat(40) }, 422],
  ['nothing wrong', {}, 201],
] as const)('refuses a check run with %s as GitHub does', async ([, wrong, status]) => {
  const { sha, path } = await changeOnBranch();
  const body = { name: 'proofmark', head_sha: sha, ...wrong };
  expect((await call('POST', `${path}/check-runs`, { token: await installationToken(), body })).status).toBe(status);
});

it('refuses unknown tokens, users and other repositories', async () => {
  const { sha, path } = await changeOnBranch();
  const body = { name: 'proofmark', head_sha: sha };
  const other = await createRepository(github, { name: `other-${count}` });
  const statusWith = async (token: string) => (await call('POST', `${path}/check-runs`, { token, body })).status;
  expect(await statusWith('ghs_nobody')).toBe(401);
  expect(await statusWith('ghp_olivia')).toBe(403);
  expect(await statusWith(await installationToken(other.id))).toBe(403);
  expect(await statusWith(github.world.tokens.addJob(repository.id, { contents: 'read' }))).toBe(403);
});

it('answers 404 for the installation on a repository without the App, and gives no token for it', async () => {
  const bare = await createRepository(github, { name: `bare-${count}`, withApp: false });
  const installation = await call('GET', `/repos/${bare.full_name}/installation`, { token: await appJwt() });
  expect(installation.status).toBe(404);
  const body = { repository_ids: [bare.id] };
  const path = `/app/installations/${github.app.installationId}/access_tokens`;
  expect((await call('POST', path, { token: await appJwt(), body })).status).toBe(422);
  const here = await call('GET', `/repos/${repository.full_name}/installation`, { token: await appJwt() });
  expect(here.body).toMatchObject({ id: github.app.installationId, app_id: github.app.id });
});

it('keeps comments with the bot as author, in pages, and folds one away through GraphQL', async () => {
  const { pull, path } = await changeOnBranch();
  const token = await installationToken();
  const made = await call('POST', `${path}/issues/${pull.number}/comments`, { token, body: { body: 'First' } });
  expect(made).toMatchObject({ status: 201, body: { user: { login: 'proofmark[bot]', type: 'Bot' } } });
  await call('PATCH', `${path}/issues/comments/${made.body.id}`, { token, body: { body: 'Edited' } });
  for (let index = 0; index < 30; index++) {
    await call('POST', `${path}/issues/${pull.number}/comments`, { token, body: { body: `More ${index}` } });
  }
  const page = await call('GET', `${path}/issues/${pull.number}/comments?page=2`, { token });
  expect(page.body).toMatchObject([{ body: 'More 29' }]);
  const all = await comments(github, repository.full_name, pull.number);
  expect([all.length, all[0]?.body]).toEqual([31, 'Edited']);
  const tooLong = { body: 'x'.repeat(65_537) };
  expect((await call('POST', `${path}/issues/${pull.number}/comments`, { token, body: tooLong })).status).toBe(422);

  await call('PUT', `${path}/issues/${pull.number}/lock`, { token: 'ghp_olivia' });
  expect((await call('POST', `${path}/issues/${pull.number}/comments`, { token, body: { body: 'x' } })).status).toBe(
    403,
  );

  const query =
    'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } } }';
  const variables = { id: made.body.node_id };
  const folded = await fetch(github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  expect(await folded.json()).toMatchObject({ data: { minimizeComment: { minimizedComment: { isMinimized: true } } } });
});

it('injects faults: an answer, a connection that breaks before, and one that breaks after the write', async () => {
  const { sha, path } = await changeOnBranch();
  const token = await installationToken();
  const body = { name: 'proofmark', head_sha: sha };
  const post = async () => call('POST', `${path}/check-runs`, { token, body });
  const seen = async () => (await checkRuns(github, repository.full_name, sha)).length;

  github.failNext({
    method: 'POST',
    path: '/check-runs',
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '3' },
  });
  const limited = await post();
  expect([limited.status, limited.headers.get('retry-after'), await seen()]).toEqual([429, '3', 0]);
  github.failNext({ method: 'POST', path: '/check-runs', kind: 'drop-before' });
  await expect(post()).rejects.toThrow('fetch failed');
  expect(await seen()).toBe(0);
  github.failNext({ method: 'POST', path: '/check-runs', kind: 'drop-after-commit' });
  await expect(post()).rejects.toThrow('fetch failed');
  expect(await seen()).toBe(1);
  const mine = github.journal.writes().filter((entry) => entry.path === `${path}/check-runs`);
  expect(mine.map(({ status, caller }) => [status, caller])).toEqual([
    [429, 'installation'],
    [0, 'installation'],
    [0, 'installation'],
  ]);
});

it('answers 304 to a read whose ETag still fits, and 401 once the tokens are revoked', async () => {
  const { pull, path } = await changeOnBranch();
  const token = await installationToken();
  const first = await call('GET', `${path}/issues/${pull.number}/comments`, { token });
  const etag = first.headers.get('etag') ?? '';
  expect(
    (await call('GET', `${path}/issues/${pull.number}/comments`, { token, headers: { 'if-none-match': etag } })).status,
  ).toBe(304);
  github.world.tokens.revoke();
  expect((await call('GET', path, { token })).status).toBe(401);
});

it('closes a pull request by hand and when its branch is deleted', async () => {
  const { pull, path } = await changeOnBranch();
  await closePullRequest(github, repository.full_name, pull.number);
  expect((await readPullRequest(github, repository.full_name, pull.number)).state).toBe('closed');
  await pushCommit(github, { repository: repository.full_name, branch: 'second', files: changed });
  const second = await openPullRequest(github, { repository: repository.full_name, head: 'second' });
  await call('DELETE', `${path}/git/refs/heads/second`, { token: 'ghp_olivia' });
  expect((await readPullRequest(github, repository.full_name, second.number)).state).toBe('closed');
});

it('says which right a stranger and a member have', async () => {
  const token = await installationToken();
  const of = async (login: string) => {
    const { body } = await call('GET', `/repos/${repository.full_name}/collaborators/${login}/permission`, { token });
    return body.permission;
  };
  expect([await of('olivia'), await of('mallory')]).toEqual(['admin', 'read']);
});
