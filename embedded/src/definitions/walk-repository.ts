import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** More files than this are not looked through: such a root is a mistake, or hostile. */
const MAX_ENTRIES = 200_000;

const ignoredFolders: ReadonlySet<string> = new Set(['node_modules', 'dist']);

export interface RepositoryListing {
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
