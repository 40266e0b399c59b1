import { type FSWatcher, fstatSync, readFileSync, type Stats, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentHash } from '@proofmark/contracts/content-hash';
import { isFileError, walkRepository } from '@proofmark/embedded/find-suites';

/** Changes that come in such a short time are one: editors write a file in several steps. */
const quietMs = 40;
/** More folders than this are not watched: such a root is a mistake. */
const mostFolders = 2_000;

/** The files of a project that change, by their paths from the root, as long as nobody ends it. */
export interface WatchedFiles extends Disposable {
  /** The next changes; null when it is over. Changes that come meanwhile are told next. */
  next: () => Promise<ReadonlySet<string> | null>;
  /**
   * Forgets what a run has written itself since the last changes were told: new files, and those that it writes each time.
   * A file that was there before and is another now is a person's save, and so is every one that they name, and a new
   * definition or source: these a program makes rarely. Sources that come in the same folder in each run are of a program.
   */
  forgetWritten: (isOfPerson: (path: string) => boolean) => void;
}

/** Watches the folders that hold files of the project; hidden ones, `node_modules` and those named are left out. */
export function watchFiles(root: string, { without, signal }: { without: string; signal: AbortSignal }): WatchedFiles {
  const watchers = new Map<string, { inode: string; watcher: FSWatcher }>();
  /** The files as they were when the last changes were told. */
  let before = new Map<string, string | undefined>();
  /** What was taken for a save during the last run, and how it then was. */
  let savedBefore = new Map<string, string>();
  /** Where new sources came during the last run. */
  let grewBefore = new Set<string>();
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let wake = Promise.withResolvers<void>();
  const outputs = [1, 2].flatMap(outputOf);
  const isOutput = (path: string): boolean => {
    const stats = outputs.length === 0 ? undefined : statsOf(join(root, path));
    return stats !== undefined && outputs.some(({ dev, ino }) => stats.dev === dev && stats.ino === ino);
  };
  const isOurs = (path: string): boolean => path === without || path.startsWith(`${without}/`) || isOutput(path);
  const tell = (path: string): void => {
    if (isOurs(path) || path.split('/').some((part) => part.startsWith('.'))) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => wake.resolve(), quietMs);
  };
  const follow = (): void => {
    const files = walkRepository(root).files.filter((file) => !isOurs(file));
    before = new Map(files.map((file) => [file, stateOf(join(root, file))]));
    for (const [folder, { inode, watcher }] of watchers) {
      // A folder that was removed and made again is another one, which its old watcher does not see.
      if (inodeOf(join(root, folder)) === inode) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of [...foldersOf(files)].slice(0, mostFolders)) {
      const inode = inodeOf(join(root, folder));
      if (watchers.has(folder) || inode === undefined) continue;
      const watcher = watch(join(root, folder), (_event, name) => {
        tell(name === null ? folder : folder === '.' ? name : `${folder}/${name}`);
      });
      // A folder that is removed is none any more.
      watcher.on('error', () => {
        watcher.close();
        if (watchers.get(folder)?.watcher === watcher) watchers.delete(folder);
      });
      watchers.set(folder, { inode, watcher });
    }
  };
  const isChanged = (path: string): boolean => before.has(path) && before.get(path) !== stateOf(join(root, path));
  const isNew = (path: string): boolean =>
    !before.has(path) && stateOf(join(root, path)) !== undefined && (isDefinition(path) || isSource(path));
  const end = (): void => wake.resolve();
  signal.addEventListener('abort', end, { once: true });
  follow();
  return {
    next: async () => {
      do {
        if (!signal.aborted) await wake.promise;
        if (signal.aborted) return null;
        wake = Promise.withResolvers();
      } while (changed.size === 0);
      const told = changed;
      changed = new Set();
      follow();
      return told;
    },
    forgetWritten: (isOfPerson) => {
      const others = [...changed].filter((path) => !isOfPerson(path) && isChanged(path));
      const made = [...changed].filter((path) => !isOfPerson(path) && isNew(path));
      const grew = new Set(made.filter(isSource).map((path) => dirname(path)));
      const believed = made.filter((path) => isDefinition(path) || !grewBefore.has(dirname(path)));
      grewBefore = grew;
      const saved = new Map(others.map((path) => [path, contentOf(join(root, path))]));
      changed = new Set([
        ...[...changed].filter(isOfPerson),
        ...believed,
        ...others.filter((path) => savedBefore.get(path) !== saved.get(path)),
      ]);
      savedBefore = saved;
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      for (const { watcher } of watchers.values()) watcher.close();
    },
  };
}

/** The file that one of our outputs goes to: what we write there ourselves is no change. */
function outputOf(fd: number): Stats[] {
  const stats = fstatSync(fd);
  return stats.isFile() ? [stats] : [];
}

/** The folders of files and those around them, which tell when such a folder is made again. */
function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set(['.']);
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  return folders;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // What is closed to us is as good as gone.
    if (isFileError(error)) return undefined;
    throw error;
  }
}

function stateOf(path: string): string | undefined {
  const stats = statsOf(path);
  return stats && `${stats.mtimeMs} ${stats.size}`;
}

/** The number alone is given again to the next folder that is made. */
function inodeOf(path: string): string | undefined {
  const stats = statsOf(path);
  return stats?.isDirectory() === true ? `${stats.ino} ${stats.birthtimeMs}` : undefined;
}

/** Which programs rarely write themselves; all else that changes in each run is state that they keep. */
const isSource = (path: string): boolean => /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|pl|sh)$/.test(path);

const isDefinition = (path: string): boolean => /\.(?:suite|agent|type|case)\.ya?ml$/.test(path);

/** What a file says, to tell one save from the next; of files that are no source only that they are written. */
function contentOf(path: string): string {
  try {
    return isSource(path) ? contentHash(readFileSync(path, 'utf8')) : 'written';
  } catch (error) {
    if (isFileError(error)) return 'gone';
    throw error;
  }
}
