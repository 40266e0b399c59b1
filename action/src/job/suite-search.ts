import { posix } from 'node:path';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { isSuite } from '@proofmark/embedded/find-suites';

/** Where suites are looked for, in the checkout and at the base alike. Paths are from the root, with `/`. */
export interface SuiteSearch {
  /** '.' is the root itself. */
  folder: string;
  /** As the input has them; none: what `proofmark.yaml` says. */
  patterns: readonly string[];
  /** Patterns from the root that a suite has to match one of. */
  wanted: string[];
  isExcluded: (path: string) => boolean;
  /** A folder that is another checkout; null when there is none. */
  exclude: string | null;
}

interface SearchInputs {
  workingDirectory: string;
  patterns: readonly string[];
  exclude: string | null;
}

export function suiteSearch({ workingDirectory, patterns, exclude }: SearchInputs): SuiteSearch {
  const folder = posix.normalize(workingDirectory === '' ? '.' : workingDirectory).replace(/\/$/, '');
  const placed = (pattern: string): string => posix.join(folder, pattern);
  const unwanted = patterns.filter((one) => one.startsWith('!')).map((one) => placed(one.slice(1)));
  return {
    folder,
    patterns,
    wanted: patterns.filter((one) => !one.startsWith('!')).map(placed),
    isExcluded: (path) =>
      unwanted.some((pattern) => matchesPattern(path, pattern)) || (exclude !== null && path.startsWith(`${exclude}/`)),
    exclude,
  };
}

/** The suites among all files of a commit, as they would be found in a checkout of it. */
export function suitesAmong(
  paths: readonly string[],
  { folder, patterns, wanted, isExcluded }: SuiteSearch,
  projectPatterns: readonly string[] | null,
): string[] {
  const isWanted = (path: string): boolean =>
    patterns.length > 0
      ? wanted.some((pattern) => matchesPattern(path, pattern))
      : (folder === '.' || path.startsWith(`${folder}/`)) && isSuite(path, projectPatterns);
  return paths.filter((path) => !isHidden(path) && isWanted(path) && !isExcluded(path)).sort();
}

/** Folders that are never looked through. */
function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.') || name === 'node_modules' || name === 'dist');
}
