import { type LoadedDefinitions, type LoadResult, loadDefinitions } from '@proofmark/contracts/load-definitions';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import type { CommittedFiles } from '../feedback/feedback-port.ts';

/** A reference leads to a file that may have references of its own; definitions are never this deep. */
const mostRounds = 10;
const mostFiles = 1_000;
/** Of one file, and of all together: definitions are parsed here, and anybody may propose some. */
const mostDefinitionBytes = 1024 * 1024;
const mostBytes = 16 * 1024 * 1024;
const atOnce = 4;

export const projectNames = ['proofmark.yaml', 'proofmark.yml'];
const anySuite = '**/*.suite.{yaml,yml,json}';

interface Wanted {
  suitePaths: readonly string[];
  projectPath: string | null;
}

/**
 * The same suites as they are at a commit; one that is not at its path may have been renamed, so all suites are looked
 * at then. What has a mistake is left out.
 */
export async function loadCommitted(
  files: CommittedFiles,
  { suitePaths, projectPath }: Wanted,
): Promise<LoadedDefinitions> {
  const present = suitePaths.filter((path) => files.paths.has(path));
  const isComplete = present.length === suitePaths.length;
  const suites = isComplete ? present : suitesIn(files, null);
  // A change that removes the file of the project must not take its gate and limits away from the base.
  const project = [projectPath, ...projectNames].find((path) => path !== null && files.paths.has(path)) ?? null;
  const { loaded } = await readDefinitions(files, { suitePaths: suites, projectPath: project });
  return loaded.definitions;
}

/** The suite files of a commit by these patterns; null: by the usual one. */
export function suitesIn({ paths }: CommittedFiles, patterns: readonly string[] | null): string[] {
  const isSuite = (path: string) => (patterns ?? [anySuite]).some((pattern) => matchesPattern(path, pattern));
  return [...paths].filter((path) => !isIgnored(path) && isSuite(path)).sort();
}

const isIgnored = (path: string): boolean =>
  path.split('/').some((part) => part === 'node_modules' || part === 'dist' || part.startsWith('.'));

interface ReadDefinitions {
  loaded: LoadResult;
  /** Everything that the definitions consist of, by path. */
  texts: ReadonlyMap<string, Buffer>;
}

/** Only runners know what their operator lists. */
const allowedOrigins = 'left to runners' as const;

/** Reads what the definitions ask for until they ask for nothing more. */
export async function readDefinitions(
  files: CommittedFiles,
  { suitePaths, projectPath }: Wanted,
): Promise<ReadDefinitions> {
  const texts = new Map<string, Buffer>();
  for (let round = 1; ; round += 1) {
    const missing = new Set<string>();
    const read = (path: string) => {
      const isSmall = files.size(path) <= mostDefinitionBytes;
      if (files.paths.has(path) && isSmall && !texts.has(path)) missing.add(path);
      return texts.get(path);
    };
    const glob = (pattern: string) => [...files.paths].filter((path) => matchesPattern(path, pattern)).sort();
    const project = projectPath === null ? {} : { projectPath };
    const loaded = loadDefinitions({ suitePaths: suitePaths.toSorted(), ...project, read, glob, allowedOrigins });
    const held = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    const wanted = upTo(files, [...missing].slice(0, mostFiles - texts.size), mostBytes - held);
    if (wanted.length === 0 || round === mostRounds) return { loaded, texts };
    for (const [path, content] of await readAll(files, wanted)) texts.set(path, content);
  }
}

/** The first of these files that together have so many bytes. */
export function upTo({ size }: CommittedFiles, paths: readonly string[], bytes: number): string[] {
  let left = bytes;
  return paths.filter((path) => {
    left -= size(path);
    return left >= 0;
  });
}

/** The contents of files, a few at a time. */
export async function readAll(
  { read }: CommittedFiles,
  paths: readonly string[],
): Promise<[path: string, content: Buffer][]> {
  const found: [string, Buffer][] = [];
  for (let start = 0; start < paths.length; start += atOnce) {
    const together = paths.slice(start, start + atOnce);
    found.push(
      ...(await Promise.all(together.map(async (path): Promise<[string, Buffer]> => [path, await read(path)]))),
    );
  }
  return found;
}
