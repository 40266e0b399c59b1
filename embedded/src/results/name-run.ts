import { existsSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, parse } from 'node:path';

/** What a name of a run, or of a part of one, stands for. */
export interface NamedPlace {
  path: string;
  /** From where the name was looked up. */
  folder: string;
  /** What of the name is below the path: that of a case. */
  rest: string;
  /** Only this repetition; null: all of them. */
  repetition: number | null;
}

/** The newest run, as it is typed. */
export const lastRun = 'last';

/**
 * Finds what is meant by a path, by the id of a run, by `RUN/03` for its third suite run, and by `RUN/03#2` for the second
 * repetition in it, by `last` for the newest run. A path that exists is that path. Names begin in the first of the folders that has them.
 */
export function findNamed(typed: string, folders: readonly string[]): NamedPlace | null {
  for (const folder of isAbsolute(typed) ? [parse(typed).root] : folders) {
    const found = findBelow(folder, typed.split('/'));
    if (found !== null) return found;
  }
  return null;
}

/** The longest beginning of the name that is a file or folder. */
function findBelow(folder: string, parts: readonly string[]): NamedPlace | null {
  let path = folder;
  for (const [index, part] of parts.entries()) {
    const next = stepInto(path, part);
    if (next === null) return index === 0 ? null : { folder, path, ...inside(parts.slice(index).join('/')) };
    path = next.path;
    if (next.repetition !== null) return { folder, rest: parts.slice(index + 1).join('/'), ...next };
  }
  return { folder, path, rest: '', repetition: null };
}

const numbered = /^(.+)#(\d{1,3})$/;

function stepInto(folder: string, part: string): { path: string; repetition: number | null } | null {
  const path = join(folder, part);
  if (existsSync(path)) return { path, repetition: null };
  const newest = part === lastRun ? newestRun(folder) : undefined;
  if (newest !== undefined) return { path: join(folder, newest), repetition: null };
  const [, name = part, digits] = numbered.exec(part) ?? [];
  const repetition = digits === undefined ? null : Number(digits);
  if (repetition !== null && existsSync(join(folder, name))) return { path: join(folder, name), repetition };
  const called = /^\d{2,}$/.test(name) ? suiteRunFolder(folder, name) : undefined;
  return called === undefined ? null : { path: join(folder, called), repetition };
}

const runId = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

/** Ids of runs sort by their second; of those that began in one, the folder that was made last. */
function newestRun(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const runs = readdirSync(folder).filter((name) => runId.test(name));
  const second = (name: string): string => name.slice(0, '20251101-143000'.length);
  const newest = runs.map(second).toSorted().at(-1);
  return runs
    .filter((name) => second(name) === newest)
    .map((name) => ({ name, madeMs: statSync(join(folder, name)).birthtimeMs }))
    .toSorted((a, b) => a.madeMs - b.madeMs)
    .at(-1)?.name;
}

/** Whether a word is meant as a run: what follows an option that needs none may be a path of suites. */
export const looksLikeRun = (word: string): boolean =>
  word === lastRun || word.split('/').some((part) => runId.test(part.replace(/#\d+$/, '')));

/** The folder of the suite run of this number: `03` of `03-refunds`. */
function suiteRunFolder(folder: string, number: string): string | undefined {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return undefined;
  return readdirSync(folder).find((name) => name.startsWith(`${number}-`));
}

/** A case and its repetition; a case may have `#` in its own name, so both readings are left to who knows the cases. */
const inside = (rest: string): Pick<NamedPlace, 'rest' | 'repetition'> => ({ rest, repetition: null });
