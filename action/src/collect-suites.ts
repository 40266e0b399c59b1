import { globSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Problem } from '@proofmark/contracts/problem';
import { type CollectedDefinitions, collectDefinitions } from '@proofmark/embedded/collect-definitions';

const maxSuites = 500;
const ignored = new Set(['node_modules', 'dist', '.git']);

interface Search {
  /** Root of the checkout. */
  root: string;
  /** From the root; '.' is the root itself. */
  workingDirectory: string;
  /** Globs relative to the working directory; none: what `proofmark.yaml` says. */
  patterns: readonly string[];
}

/** The definitions of the checkout. That nothing matches is a problem too, never a silent pass. */
export function collectSuites({ root, workingDirectory, patterns }: Search): CollectedDefinitions {
  const folder = posix.normalize(workingDirectory === '' ? '.' : workingDirectory).replace(/\/$/, '');
  const paths = patterns.length === 0 ? (folder === '.' ? [] : [folder]) : matching(root, folder, patterns);
  // No path at all would mean everything: a file that is not there is told apart below.
  const collected = collectDefinitions({ root, paths: patterns.length > 0 && paths.length === 0 ? [''] : paths });
  if (patterns.length > 0 && paths.length === 0) return nothingFound(collected);
  if (collected.suitePaths.length === 0) return nothingFound(collected);
  if (collected.suitePaths.length <= maxSuites) return collected;
  const message = `${collected.suitePaths.length} suite files, at most ${maxSuites} are run: narrow the input suites`;
  return { ...collected, problems: [...collected.problems, searchProblem('limit', message)] };
}

function matching(root: string, folder: string, patterns: readonly string[]): string[] {
  const isExcluded = (path: string) =>
    patterns.some(
      (pattern) => pattern.startsWith('!') && posix.matchesGlob(path, posix.join(folder, pattern.slice(1))),
    );
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map((pattern) => posix.join(folder, pattern));
  const found = globSync(wanted, { cwd: root, withFileTypes: true, exclude: (entry) => ignored.has(entry.name) });
  const paths = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => posix.relative(toPosix(root), toPosix(join(entry.parentPath, entry.name))));
  return [...new Set(paths)].filter((path) => !path.startsWith('..') && !isExcluded(path)).sort();
}

const toPosix = (path: string): string => path.replaceAll('\\', '/');

function nothingFound(collected: CollectedDefinitions): CollectedDefinitions {
  return {
    ...collected,
    definitions: { ...collected.definitions, suites: [] },
    suitePaths: [],
    problems: [...collected.problems.filter((one) => one.file === collected.projectPath), noMatch],
  };
}

const searchProblem = (code: Problem['code'], message: string): Problem => ({
  severity: 'error',
  code,
  file: '',
  line: 1,
  column: 1,
  path: 'suites',
  message,
});

const noMatch = searchProblem('not_found', 'No suite matches the patterns');
