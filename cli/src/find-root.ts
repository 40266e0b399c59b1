import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The nearest folder upwards with a `proofmark.yaml`, else the one with `.git`, else the folder itself. */
export function findRoot(from: string): string {
  const folders = upwards(from);
  const holds = (names: readonly string[]) =>
    folders.find((folder) => names.some((name) => existsSync(join(folder, name))));
  return holds(['proofmark.yaml', 'proofmark.yml']) ?? holds(['.git']) ?? from;
}

function upwards(from: string): string[] {
  const folders = [resolve(from)];
  for (let folder = resolve(from); dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

export type PathsFromRoot = { ok: true; paths: string[] } | { ok: false; message: string };

/** Paths as they were typed in `cwd`, as paths from the root with `/`; the root itself is ''. */
export function pathsFromRoot(root: string, cwd: string, typed: readonly string[]): PathsFromRoot {
  const paths: string[] = [];
  for (const path of typed) {
    const fromRoot = relative(root, resolve(cwd, path));
    if (fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || resolve(fromRoot) === fromRoot) {
      return {
        ok: false,
        message: `${path} lies outside of ${root}. Run the command in the repository that holds it.`,
      };
    }
    paths.push(fromRoot.split(sep).join('/'));
  }
  return { ok: true, paths };
}
