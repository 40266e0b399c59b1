import { posix } from 'node:path';
import { type LoadResult, loadDefinitions } from '@proofmark/contracts/load-definitions';
import type { Forge } from '../forge/open-forge.ts';
import { type SuiteSearch, suitesAmong } from '../suite-search.ts';
import { type CommitFiles, readBlob, readTree, sameInCheckout } from './read-tree.ts';

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
export async function readDefinitions({ forge, commitSha, search, root }: AtCommit): Promise<LoadResult | null> {
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
  const glob = (pattern: string) => paths.filter((path) => posix.matchesGlob(path, pattern)).sort();
  // The first pass only reads the project, which says where the suites are.
  const { definitions } = loadDefinitions({ suitePaths: [], ...project, read, glob });
  const suitePaths = suitesAmong(paths, search, definitions.project.suites);
  return loadDefinitions({ suitePaths, ...project, read, glob });
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
