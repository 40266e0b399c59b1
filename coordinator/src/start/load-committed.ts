import type { LoadedDefinitions, LoadedSuite, LoadResult } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { type Change, watchedSuite } from '@proofmark/domain/affected-suites';
import { type CommittedTexts, parseThreads, type ReadSoFar, usualLimits } from '../definitions/parse-threads.ts';
import type { CommittedFiles } from '../feedback/feedback-port.ts';

/** A reference leads to a file that may have references of its own; definitions are never this deep. */
const mostRounds = 10;
const mostFiles = 1_000;
/** Of one file, and of all together: anybody may propose some. */
const mostDefinitionBytes = 1024 * 1024;
const mostBytes = 4 * 1024 * 1024;
/** Files that a pattern is held against. */
const mostCandidates = 20_000;
const atOnce = 4;

/** A thread for commits alone: what strangers propose never keeps the files of a caller waiting. */
const threads = parseThreads({ ...usualLimits, threads: 1 });

export const projectNames = ['proofmark.yaml', 'proofmark.yml'];
const anySuite = '**/*.suite.{yaml,yml,json}';

interface Wanted {
  suitePaths: readonly string[];
  projectPath: string | null;
}

/**
 * The same suites as they are at a commit; one that is not at its path may have been renamed, so all suites are looked
 * at then. What has a mistake is left out. Null where they cost too much.
 */
export async function loadCommitted(
  files: CommittedFiles,
  { suitePaths, projectPath }: Wanted,
): Promise<LoadedDefinitions | null> {
  const present = suitePaths.filter((path) => files.paths.has(path));
  const isComplete = present.length === suitePaths.length;
  const suites = isComplete ? present : await suitesIn(files, null);
  // A change that removes the file of the project must not take its gate and limits away from the base.
  const project = [projectPath, ...projectNames].find((path) => path !== null && files.paths.has(path)) ?? null;
  const read = await readDefinitions(files, { suitePaths: suites, projectPath: project });
  return read.ok ? read.loaded.definitions : null;
}

/** The suite files of a commit by these patterns; null: by the usual one. None where the patterns take too long. */
export async function suitesIn({ paths }: CommittedFiles, patterns: readonly string[] | null): Promise<string[]> {
  const candidates = definitionsAmong(paths).filter((path) => !isIgnored(path));
  const asked = await threads.ask({ ask: 'matching', paths: candidates, patterns: patterns ?? [anySuite] });
  return asked.ok ? asked.answer.sort() : [];
}

const isIgnored = (path: string): boolean =>
  path.split('/').some((part) => part === 'node_modules' || part === 'dist' || part.startsWith('.'));

/** What a pattern of definitions can mean, as far as anybody has so many. */
const definitionsAmong = (paths: ReadonlySet<string>): string[] =>
  Array.from(paths)
    .filter((path) => /\.(?:ya?ml|json)$/.test(path))
    .slice(0, mostCandidates);

export type ReadDefinitions =
  | {
      ok: true;
      loaded: LoadResult;
      /** Everything that the definitions consist of, by path. */
      texts: ReadonlyMap<string, string>;
    }
  /** They cost more than anybody may ask for. */
  | { ok: false; problem: Problem };

/** Reads what the definitions ask for until they ask for nothing more. What they say is found out in a thread. */
export async function readDefinitions(
  files: CommittedFiles,
  { suitePaths, projectPath }: Wanted,
): Promise<ReadDefinitions> {
  let texts: ReadonlyMap<string, string> = new Map();
  let absent: ReadonlySet<string> = new Set();
  const present = definitionsAmong(files.paths);
  for (let round = 1; ; round += 1) {
    const known = { files: Array.from(texts, ([path, text]) => ({ path, text })), present, absent: [...absent] };
    const asked = await askThread({ suitePaths, projectPath, ...known });
    if (typeof asked === 'string') return tooMuch(asked);
    const { missing, loaded } = asked;
    if (loaded !== null) return { ok: true, loaded, texts };
    const wanted = round < mostRounds ? readable(files, missing, texts) : [];
    const found = await readAll(files, wanted);
    texts = new Map([...texts, ...found.map(([path, content]) => [path, content.toString('utf8')] as const)]);
    absent = new Set([...absent, ...missing.filter((path) => !texts.has(path))]);
  }
}

/** What was found out, or why it could not be. */
async function askThread(texts: CommittedTexts): Promise<ReadSoFar | string> {
  const asked = await threads.ask({ ask: 'committed', ...texts });
  if (!asked.ok) return asked.message;
  return asked.answer === 'too large' ? 'what the files say is too large' : asked.answer;
}

/** Those of the missing files that are there, and that there is room for beside what was read. */
function readable(files: CommittedFiles, missing: readonly string[], texts: ReadonlyMap<string, string>): string[] {
  const held = [...texts.keys()].reduce((sum, path) => sum + files.size(path), 0);
  const small = missing.filter((path) => files.paths.has(path) && files.size(path) <= mostDefinitionBytes);
  return upTo(files, small.slice(0, mostFiles - texts.size), mostBytes - held);
}

const tooMuch = (message: string): ReadDefinitions => ({
  ok: false,
  problem: {
    ...{ severity: 'error', code: 'limit', file: '', line: 1, column: 1, path: 'files' },
    message: `The definitions of this commit cannot be read: ${message}`,
    hint: 'Split them into smaller suites.',
  },
});

/** The first of these files that together have so many bytes. */
export function upTo({ size }: CommittedFiles, paths: readonly string[], bytes: number): string[] {
  let left = bytes;
  return paths.filter((path) => {
    left -= size(path);
    return left >= 0;
  });
}

/** The contents of files, a few at a time. */
export async function readAll(
  { read }: CommittedFiles,
  paths: readonly string[],
): Promise<[path: string, content: Buffer][]> {
  const found: [string, Buffer][] = [];
  for (let start = 0; start < paths.length; start += atOnce) {
    const together = paths.slice(start, start + atOnce);
    found.push(
      ...(await Promise.all(together.map(async (path): Promise<[string, Buffer]> => [path, await read(path)]))),
    );
  }
  return found;
}

/** Whether a change can affect each of the suites; where that takes too long, it can. */
export async function affectedAmong(suites: readonly LoadedSuite[], change: Change): Promise<boolean[]> {
  const watched = suites.map(watchedSuite);
  const asked = await threads.ask({ ask: 'affected', suites: watched, change, workflowPath: null });
  return asked.ok ? asked.answer : watched.map(() => true);
}
