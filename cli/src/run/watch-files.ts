import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { walkRepository } from '@proofmark/embedded/find-suites';

/** Changes that come in such a short time are one: editors write a file in several steps. */
const quietMs = 40;
/** More folders than this are not watched: such a root is a mistake. */
const mostFolders = 2_000;

/** The files of a project that change, by their paths from the root, as long as nobody ends it. */
export interface WatchedFiles extends Disposable {
  /** The next changes; null when it is over. Changes that come meanwhile are told next. */
  next: () => Promise<ReadonlySet<string> | null>;
  /** Changes so far that are of no interest. */
  forget: (isIdle: (path: string) => boolean) => void;
}

/** Watches the folders that hold files of the project; hidden ones, `node_modules` and those named are left out. */
export function watchFiles(root: string, { without, signal }: { without: string; signal: AbortSignal }): WatchedFiles {
  const watchers = new Map<string, FSWatcher>();
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let wake = Promise.withResolvers<void>();
  const isOurs = (path: string): boolean => path === without || path.startsWith(`${without}/`);
  const tell = (path: string): void => {
    if (isOurs(path) || path.split('/').some((part) => part.startsWith('.'))) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => wake.resolve(), quietMs);
  };
  const follow = (): void => {
    const files = walkRepository(root).files.filter((file) => !isOurs(file));
    const folders = new Set(['.', ...files.map((file) => dirname(file))]);
    for (const folder of [...folders].slice(0, mostFolders)) {
      if (watchers.has(folder)) continue;
      const watcher = watch(join(root, folder), (_event, name) => {
        tell(name === null ? folder : folder === '.' ? name : `${folder}/${name}`);
      });
      // A folder that is removed is none any more.
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
      });
      watchers.set(folder, watcher);
    }
  };
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
    forget: (isIdle) => {
      changed = new Set([...changed].filter((path) => !isIdle(path)));
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
