import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

/** Text of a file that a configuration names, or why it is not taken over. */
type Beside = { ok: true; text: string } | { ok: false; reason: string };

/** Reads a file by its path from the folder of the configuration. */
export type ReadBeside = (path: string) => Beside;

const mostBytes = 1_000_000;

/** Reads texts by their paths from a folder. What lies outside of `root` is none of ours, wherever a link leads. */
export function readBesideFile(folder: string, root: string): ReadBeside {
  const realRoot = realpathSync(root);
  return (path) => {
    const place = resolve(folder, path);
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return refused('there is no such file');
    const inside = relative(realRoot, realpathSync(place));
    if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) {
      return refused('it lies outside of the repository');
    }
    if (!stats.isFile()) return refused('it is no file');
    if (stats.size > mostBytes) return refused('it is larger than 1 MB');
    return textOf(readFileSync(place));
  };
}

function textOf(bytes: Buffer): Beside {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? refused('it is no text') : { ok: true, text };
  } catch {
    // What is no UTF-8 is a picture, a sound or an old encoding: nothing that a question could be made of.
    return refused('it is no text');
  }
}

const refused = (reason: string): Beside => ({ ok: false, reason });
