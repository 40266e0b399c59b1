import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { GithubServer } from '../github-server.ts';
import { asUser } from './as-user.ts';
import { organisation } from './emulator.ts';
import { Ref, Repository, Sha, Tree } from './shapes.ts';

/** Contents by path; null removes the file. */
type Files = Record<string, string | null>;

type NewRepository = {
  name: string;
  /** Another organisation than the first. */
  owner?: string;
  files?: Files;
  /** Whether the App is installed on it. */
  withApp?: boolean;
};

/** A new repository of an organisation, with these files as a commit on main. */
export async function createRepository(
  github: GithubServer,
  { name, owner = organisation, files = {}, withApp = true }: NewRepository,
): Promise<Repository> {
  const body = { name, auto_init: true };
  const repository = Repository.parse(await asUser(github, { method: 'POST', path: `/orgs/${owner}/repos`, body }));
  if (!withApp) github.world.withoutApp.add(repository.full_name);
  if (Object.keys(files).length > 0) {
    await pushCommit(github, {
      repository: repository.full_name,
      branch: 'main',
      files,
      message: 'Add the first files',
    });
  }
  return repository;
}

export type Push = {
  /** Full name. */
  repository: string;
  branch: string;
  files: Files;
  message?: string;
  /** Where a new branch starts; with `force` also where an existing one is reset to. A branch or a sha. */
  from?: string;
  force?: boolean;
};

/** Pushes one commit and returns its sha. A branch that is not there starts at main. */
export async function pushCommit(
  github: GithubServer,
  { repository, branch, files, message = 'Change files', from = 'main', force = false }: Push,
): Promise<string> {
  const git = `/repos/${repository}/git`;
  const tip = await branchSha(github, repository, branch);
  const start = (await branchSha(github, repository, from)) ?? from;
  const parent = tip === undefined || force ? start : tip;
  const tree = Object.entries(files).map(([path, content]) => {
    const entry = { path, mode: '100644', type: 'blob' };
    return content === null ? { ...entry, sha: null } : { ...entry, content };
  });
  const base = z.looseObject({ tree: Sha }).parse(await asUser(github, { path: `${git}/commits/${parent}` }));
  const treeBody = { base_tree: base.tree.sha, tree };
  const newTree = Sha.parse(await asUser(github, { method: 'POST', path: `${git}/trees`, body: treeBody }));
  const commitBody = { message, tree: newTree.sha, parents: [parent] };
  const { sha } = Sha.parse(await asUser(github, { method: 'POST', path: `${git}/commits`, body: commitBody }));

  if (tip === undefined)
    await asUser(github, { method: 'POST', path: `${git}/refs`, body: { ref: `refs/heads/${branch}`, sha } });
  else await asUser(github, { method: 'PATCH', path: `${git}/refs/heads/${branch}`, body: { sha, force } });
  return sha;
}

/** The commit at the tip of a branch; undefined when there is no such branch. */
export async function branchSha(github: GithubServer, repository: string, branch: string): Promise<string | undefined> {
  const path = `/repos/${repository}/git/ref/heads/${branch}`;
  const answer = await github.world.emulator.send({ method: 'GET', path });
  return answer.status === 200 ? Ref.parse(answer.body).object.sha : undefined;
}

/** Writes the files of a commit into a directory, as actions/checkout does without the .git. */
export async function checkOut(
  github: GithubServer,
  { repository, sha, directory }: { repository: string; sha: string; directory: string },
): Promise<void> {
  const git = `/repos/${repository}/git`;
  const { tree } = Tree.parse(await asUser(github, { path: `${git}/trees/${sha}?recursive=1` }));
  for (const entry of tree.filter(({ type }) => type === 'blob')) {
    const blob = z
      .looseObject({ content: z.string() })
      .parse(await asUser(github, { path: `${git}/blobs/${entry.sha}` }));
    const path = join(directory, entry.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(blob.content, 'base64'));
  }
}
