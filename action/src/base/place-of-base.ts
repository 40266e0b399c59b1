import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** `inside`: the folder from the root when it is below it, where no suite of the head may be looked for. */
export type PlaceOfBase = { ok: true; folder: string | null; inside: string | null } | { ok: false; message: string };

/** The folder that `base-path` names, from the root or absolute. It has to be another one than the root. */
export function placeOfBase(root: string, basePath: string | null): PlaceOfBase {
  if (basePath === null) return { ok: true, folder: null, inside: null };
  const folder = resolve(root, basePath);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return { ok: false, message: `base-path: there is no folder ${basePath}; check the base out there.` };
  }
  const path = relative(root, folder).replaceAll('\\', '/');
  if (path === '') return { ok: false, message: 'base-path has to be another folder than the checkout of the head.' };
  return { ok: true, folder, inside: path.startsWith('../') || path === '..' || /^[A-Za-z]:/.test(path) ? null : path };
}
