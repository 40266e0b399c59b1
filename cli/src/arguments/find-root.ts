import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const projectFiles = ['proofmark.yaml', 'proofmark.yml'];

/**
 * The nearest folder upwards with a `proofmark.yaml`, else the one with `.git`, else the folder itself. Paths that all
 * lie in one project further down, such as `examples/support`, are about that project.
 */
export function findRoot(from: string, paths: readonly string[] = []): string {
  const folders = upwards(from);
  const root = folders.find(holds(projectFiles)) ?? folders.find(holds(['.git'])) ?? from;
  const [first, ...others] = paths.map((path) => projectBelow(root, resolve(from, path)));
  return first !== undefined && others.every((other) => other === first) ? first : root;
}

const holds =
  (names: readonly string[]) =>
  (folder: string): boolean =>
    names.some((name) => existsSync(join(folder, name)));

/** The project that a path belongs to, when it lies below the root; nothing outside of the root is looked at. */
function projectBelow(root: string, path: string): string | undefined {
  // The folder at the top of the disk ends with a separator already.
  const start = root.endsWith(sep) ? root : `${root}${sep}`;
  const isBelow = (folder: string): boolean => folder !== root && folder.startsWith(start);
  return upwards(path).filter(isBelow).find(holds(projectFiles));
}

function upwards(from: string): string[] {
  const folders = [resolve(from)];
  for (let folder = resolve(from); dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

type PathsFromRoot = { ok: true; paths: string[] } | { ok: false; message: string };

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
