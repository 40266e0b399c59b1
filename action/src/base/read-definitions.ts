import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDefinitions } from '@proofmark/contracts/load-definitions';
import type { LoadResult } from '@proofmark/contracts/loaded';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';
import { type SuiteSearch, suitesAmong } from '../job/suite-search.ts';

interface AtCommit {
  forge: Forge;
  commitSha: string;
  search: SuiteSearch;
  /** The checkout of the head: files that did not change are taken from here instead of asking for them. */
  root: string;
}

/** A reference leads to a file that may have references of its own; definitions are never this deep. */
const maxRounds = 10;
const maxFiles = 1_000;
const atOnce = 4;

const projectNames = ['proofmark.yaml', 'proofmark.yml'];

/** The definitions as they are at a commit, read without git; null when it has more files than GitHub lists. */
export async function readBaseDefinitions({ forge, commitSha, search, root }: AtCommit): Promise<LoadResult | null> {
  const files = await readTree(forge, commitSha);
  if (files === null) return null;
  const texts = new Map<string, string>();
  const paths = [...files.keys()];
  for (let round = 1; ; round += 1) {
    const missing = new Set<string>();
    const loaded = load({ paths, search, read: (path) => textOf(path, { files, texts, missing, root }) });
    const wanted = [...missing].slice(0, maxFiles - texts.size);
    if (wanted.length === 0 || round === maxRounds) return loaded;
    await fetchTexts(forge, wanted, files, texts);
  }
}

interface Known {
  files: CommitFiles;
  texts: Map<string, string>;
  /** What has to be asked for before this can be answered. */
  missing: Set<string>;
  root: string;
}

function textOf(path: string, { files, texts, missing, root }: Known): string | undefined {
  const file = files.get(path);
  if (file === undefined) return undefined;
  const text = texts.get(path) ?? sameInCheckout(root, path, file);
  if (text === null) missing.add(path);
  else texts.set(path, text);
  return text ?? undefined;
}

interface Listing {
  paths: readonly string[];
  search: SuiteSearch;
  read: (path: string) => string | undefined;
}

function load({ paths, search, read }: Listing): LoadResult {
  const projectPath = projectNames.find((name) => paths.includes(name));
  const project = projectPath === undefined ? {} : { projectPath };
  const glob = (pattern: string) => paths.filter((path) => matchesPattern(path, pattern)).sort();
  // The first pass only reads the project, which says where the suites are.
  const { definitions } = loadDefinitions({ suitePaths: [], ...project, read, glob });
  const suitePaths = suitesAmong(paths, search, definitions.project.suites);
  // What is run fetches files; what it is compared with was judged when it was committed.
  return loadDefinitions({ suitePaths, ...project, read, glob, allowedOrigins: 'left to runners' });
}

async function fetchTexts(
  forge: Forge,
  wanted: readonly string[],
  files: CommitFiles,
  texts: Map<string, string>,
): Promise<void> {
  for (let start = 0; start < wanted.length; start += atOnce) {
    const fetching = wanted.slice(start, start + atOnce).map(async (path) => {
      texts.set(path, await readBlob(forge, files.get(path)?.sha ?? ''));
    });
    await Promise.all(fetching);
  }
}

/** The files of a commit by their paths. */
type CommitFiles = ReadonlyMap<string, { sha: string; size: number }>;

const Tree = z.looseObject({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.looseObject({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.int().min(0).optional(),
    }),
  ),
});
const Blob = z.looseObject({ content: z.string(), encoding: z.literal('base64') });

/** Far above what a definition may have. */
const maxBytes = 4_000_000;
const symbolicLink = '120000';

/** All files of a commit, with one request; null when there are more than GitHub lists. Links are left out. */
async function readTree(forge: Forge, commitSha: string): Promise<CommitFiles | null> {
  const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
  const { truncated, tree } = Tree.parse(await forge.read(route, { tree_sha: commitSha, recursive: '1' }));
  if (truncated) return null;
  const files = tree.filter(({ type, mode, size = 0 }) => type === 'blob' && mode !== symbolicLink && size <= maxBytes);
  return new Map(files.map(({ path, sha, size = 0 }) => [path, { sha, size }]));
}

async function readBlob(forge: Forge, sha: string): Promise<string> {
  const { content } = Blob.parse(await forge.read('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha: sha }));
  return Buffer.from(content, 'base64').toString('utf8');
}

/** The text of a file of the checkout that is the very one of the commit; null when it is another or not there. */
function sameInCheckout(root: string, path: string, { sha, size }: { sha: string; size: number }): string | null {
  const place = join(root, path);
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (size !== 0 && stats.size !== size)) return null;
  const bytes = readFileSync(place);
  return gitHash(bytes, sha.length) === sha ? bytes.toString('utf8') : null;
}

/** The name of a file's content in git: SHA-1, or SHA-256 in repositories whose names are that long. */
function gitHash(bytes: Buffer, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
