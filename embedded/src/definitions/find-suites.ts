import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { nearFile } from '@proofmark/contracts/near-match';
import type { Problem } from '@proofmark/contracts/problem';
import { walkRepository } from './walk-repository.ts';

const defaultPatterns = ['**/*.suite.{yaml,yml,json}'];

export interface SuiteSearch {
  root: string;
  /** `suites` of `proofmark.yaml`; null: the default pattern. */
  patterns: readonly string[] | null;
  /** Files and folders from the root that were asked for; none: everything. */
  paths: readonly string[];
}

/** The suite files of a repository, sorted. A file that was asked for by name is one, whatever it is called. */
export function findSuites({ root, patterns, paths }: SuiteSearch): { suitePaths: string[]; problems: Problem[] } {
  const found = (paths.length === 0 ? [''] : paths).map((path) => suitesAt(root, path, patterns));
  return {
    suitePaths: [...new Set(found.flatMap(({ suitePaths }) => suitePaths))].sort(),
    problems: found.flatMap(({ problems }) => problems),
  };
}

function suitesAt(root: string, path: string, patterns: readonly string[] | null): ReturnType<typeof findSuites> {
  const kind = kindOf(join(root, path));
  if (kind === undefined) {
    return { suitePaths: [], problems: [searchProblem(path, 'not_found', noSuchPath(root, path))] };
  }
  if (kind === 'file') return { suitePaths: [path], problems: [] };
  const { files, isCut } = walkRepository(root, path);
  const tooMany = 'too many files to look through: name the folders of your suites';
  return {
    suitePaths: files.filter((file) => isSuite(file, patterns)),
    problems: isCut ? [searchProblem(path, 'limit', tooMany)] : [],
  };
}

/** Whether a path is a suite by these patterns; null: by the default one. */
export const isSuite = (file: string, patterns: readonly string[] | null): boolean =>
  (patterns ?? defaultPatterns).some((pattern) => posix.matchesGlob(file, pattern.replace(/^\.\//, '')));

function kindOf(path: string): 'file' | 'folder' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? 'folder' : 'file';
}

function noSuchPath(root: string, path: string): string {
  const near = nearFile(path, walkRepository(root).files);
  return `there is no such file or folder${near === undefined ? '' : `, did you mean \`${near}\`?`}`;
}

const searchProblem = (file: string, code: 'not_found' | 'limit', message: string): Problem => ({
  severity: 'error',
  code,
  file,
  line: 1,
  column: 1,
  path: '',
  message,
});
