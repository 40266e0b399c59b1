import { spawnSync } from 'node:child_process';
import { loadDefinitions } from '@proofmark/contracts/load-definitions';
import type { LoadResult } from '@proofmark/contracts/loaded';
import { isSuite } from './find-suites.ts';

/** Above what a file of rows may have, so that the limit of the reader is the one that speaks. */
const MAX_BYTES = 80_000_000;
const MAX_LIST_BYTES = 256_000_000;

const projectNames = ['proofmark.yaml', 'proofmark.yml'];

export type DefinitionsAtCommit = { ok: true; commit: string; loaded: LoadResult } | { ok: false; message: string };

/** The definitions below a folder as they were committed, read out of git's objects: nothing is checked out. */
export function collectAtCommit({ root, ref }: { root: string; ref: string }): DefinitionsAtCommit {
  const commit = git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], MAX_BYTES);
  if (!commit.ok) return { ok: false, message: whyNoCommit(root, ref) };
  const id = commit.output.trim();
  const listed = git(root, ['ls-tree', '-r', '-z', id], MAX_LIST_BYTES);
  if (!listed.ok) return { ok: false, message: `The files of ${ref} cannot be listed: ${listed.message}` };
  const files = listed.output.split('\0').flatMap(filePath);
  return { ok: true, commit: id, loaded: load(root, id, files) };
}

const branchesNamed = 5;

function whyNoCommit(root: string, ref: string): string {
  const listed = git(
    root,
    ['for-each-ref', '--sort=-committerdate', '--format=%(refname:short)', 'refs/heads', 'refs/remotes'],
    MAX_LIST_BYTES,
  );
  if (!listed.ok) return `${ref} is no file, and git finds no repository in ${root}`;
  const branches = listed.output.split('\n').filter((name) => name !== '');
  const named = [...branches.slice(0, branchesNamed), ...(branches.length > branchesNamed ? ['…'] : [])].join(', ');
  const known = branches.length === 0 ? 'it has no commit yet' : `its branches: ${named}`;
  return `${ref} is neither a file nor a commit of the repository in ${root}; ${known}`;
}

/** Regular files only: a link may lead anywhere, and a submodule is another repository. */
function filePath(entry: string): string[] {
  const [mode = '', path] = entry.split('\t');
  return path !== undefined && mode.startsWith('100') && !isIgnored(path) ? [path] : [];
}

const isIgnored = (path: string): boolean =>
  path.split('/').some((part) => part === 'node_modules' || part === 'dist' || part.startsWith('.'));

function load(root: string, commit: string, files: readonly string[]): LoadResult {
  const known = new Set(files);
  const texts = new Map<string, string | undefined>();
  const read = (path: string): string | undefined => {
    if (!known.has(path)) return undefined;
    // `./` makes git read the path from the folder and not from the top of the repository.
    if (!texts.has(path)) texts.set(path, show(root, `${commit}:./${path}`));
    return texts.get(path);
  };
  const glob = (pattern: string): string[] => files.filter((file) => isSuite(file, [pattern]));
  const projectPath = projectNames.find((name) => known.has(name));
  const project = projectPath === undefined ? {} : { projectPath };
  const { definitions } = loadDefinitions({ suitePaths: [], ...project, read, glob });
  const suitePaths = files.filter((file) => isSuite(file, definitions.project.suites)).toSorted();
  // What is run fetches files; what it is compared with was judged when it was committed.
  return loadDefinitions({ suitePaths, ...project, read, glob, allowedOrigins: 'left to runners' });
}

function show(root: string, object: string): string | undefined {
  const shown = git(root, ['show', object], MAX_BYTES);
  return shown.ok ? shown.output : undefined;
}

type GitAnswer = { ok: true; output: string } | { ok: false; message: string };

function git(root: string, args: readonly string[], maxBuffer: number): GitAnswer {
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer });
  if (error !== undefined) return { ok: false, message: error.message };
  return status === 0 ? { ok: true, output: stdout } : { ok: false, message: stderr.trim() };
}
