import { posix } from 'node:path';
import { type LoadedDefinitions, loadDefinitions } from '@proofmark/contracts/load-definitions';
import type { CommittedFiles } from '../feedback/feedback-port.ts';

/** A reference leads to a file that may have references of its own; definitions are never this deep. */
const mostRounds = 10;
const mostFiles = 1_000;
const atOnce = 4;

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
  const paths = [...files.paths].sort();
  const present = suitePaths.filter((path) => files.paths.has(path));
  const isComplete = present.length === suitePaths.length;
  const suites = isComplete ? present : paths.filter((path) => posix.matchesGlob(path, anySuite));
  const project = projectPath !== null && files.paths.has(projectPath) ? { projectPath } : {};
  const texts = new Map<string, Buffer>();
  for (let round = 1; ; round += 1) {
    const missing = new Set<string>();
    const read = (path: string) => {
      if (files.paths.has(path) && !texts.has(path)) missing.add(path);
      return texts.get(path);
    };
    const glob = (pattern: string) => paths.filter((path) => posix.matchesGlob(path, pattern));
    const { definitions } = loadDefinitions({ suitePaths: suites.toSorted(), ...project, read, glob });
    const wanted = [...missing].slice(0, mostFiles - texts.size);
    if (wanted.length === 0 || round === mostRounds) return definitions;
    for (const [path, content] of await readAll(files, wanted)) texts.set(path, content);
  }
}

async function readAll({ read }: CommittedFiles, paths: readonly string[]): Promise<[path: string, Buffer][]> {
  const found: [string, Buffer][] = [];
  for (let start = 0; start < paths.length; start += atOnce) {
    const together = paths.slice(start, start + atOnce);
    found.push(
      ...(await Promise.all(together.map(async (path): Promise<[string, Buffer]> => [path, await read(path)]))),
    );
  }
  return found;
}
