import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nearFile } from '@proofmark/contracts/near-match';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import type { Problem } from '@proofmark/contracts/problem';

const defaultPatterns = ['**/*.suite.{yaml,yml,json}'];

interface SuiteSearch {
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
  (patterns ?? defaultPatterns).some((pattern) => matchesPattern(file, pattern));

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

/** More files than this are not looked through: such a root is a mistake, or hostile. */
const MAX_ENTRIES = 200_000;

const ignoredFolders: ReadonlySet<string> = new Set(['node_modules', 'dist']);

interface RepositoryListing {
  /** Paths from the root with `/`, sorted; symbolic links to files are among them, linked folders are not entered. */
  files: string[];
  /** Too many entries: the listing is not complete. */
  isCut: boolean;
}

/** Every file below `root` that may hold definitions: hidden folders, `node_modules` and `dist` are left out. */
export function walkRepository(root: string, from = ''): RepositoryListing {
  const files: string[] = [];
  const folders = [from];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = listFolder(join(root, folder));
    entries += listed.length;
    if (entries > MAX_ENTRIES) return { files: files.sort(), isCut: true };
    const path = (entry: Dirent): string => (folder === '' ? entry.name : `${folder}/${entry.name}`);
    folders.push(...listed.filter(isSearched).map(path));
    files.push(...listed.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(path));
  }
  return { files: files.sort(), isCut: false };
}

const isSearched = (entry: Dirent): boolean => entry.isDirectory() && !ignoredFolders.has(entry.name);

/** What a folder holds, without hidden entries. */
function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.name.startsWith('.'));
  } catch (error) {
    // A folder that is gone or closed to us holds nothing that can be run.
    if (isFileError(error)) return [];
    throw error;
  }
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
