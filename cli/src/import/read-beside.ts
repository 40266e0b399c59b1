import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadBeside } from './translate-prompt.ts';

const mostBytes = 1_000_000;

/** Reads texts by their paths from a folder; null for what is no file, or too large for a prompt or a list of tests. */
export function readBesideFile(folder: string): ReadBeside {
  return (path) => {
    const place = join(folder, path);
    const stats = statSync(place, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size <= mostBytes ? readFileSync(place, 'utf8') : null;
  };
}
