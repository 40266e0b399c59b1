import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { findNamed, type NamedPlace } from '../results/name-run.ts';
import { readLines } from '../results/read-beside.ts';
import { lineReader, type ResultLine } from '../results/result-line.ts';

/** A test run as its run has kept it in files. */
export interface StoredTestRun {
  id: string;
  line: ResultLine;
  /** The version that made it; null when the run was killed before it wrote that. */
  version: string | null;
}

export type FoundTestRun =
  | { kind: 'found'; testRun: StoredTestRun }
  /** The name leaves open which one is meant. */
  | { kind: 'choices'; ids: string[] }
  | { kind: 'missing'; message: string };

const resultsName = 'results.jsonl';

interface Question {
  /** `RUN/SUITE-RUN/CASE`, with `#N` behind it for another repetition than the first; `RUN/03#2`; or a path that ends so. */
  id: string;
  /** Where ids begin: the current folder, and that of all results. */
  folders: readonly string[];
}

/** The test run of an id; without the name of a case the ids that there are. Nothing is changed. */
export async function findTestRun({ id, folders }: Question): Promise<FoundTestRun> {
  for (const folder of folders) {
    const named = findNamed(id, [folder]);
    if (named === null) continue;
    const files = await resultsFiles(named.path);
    if (files.length === 0) continue;
    return await search(files, named);
  }
  return { kind: 'missing', message: `There are no results of ${id} in ${folders.join(' or ')}.` };
}

async function resultsFiles(path: string): Promise<string[]> {
  if (!statSync(path).isDirectory()) return basename(path) === resultsName ? [path] : [];
  const entries = await readdir(path, { recursive: true });
  return entries
    .filter((entry) => basename(entry) === resultsName)
    .toSorted()
    .map((entry) => join(path, entry));
}

async function search(files: readonly string[], { folder, rest: name, repetition }: NamedPlace): Promise<FoundTestRun> {
  const listed: Listed[] = [];
  for await (const one of listTestRuns(files, folder, repetition)) {
    if (files.length === 1 && isCalled(one.line, name)) return await found(one);
    // Of many, only the ids: their lines may be larger than memory together.
    listed.push(listed.length === 0 ? one : { ...one, line: null });
  }
  const only = listed.length === 1 ? listed[0] : undefined;
  if (only !== undefined && name === '' && repetition !== null) return await found(only);
  const ids = listed.map(({ id }) => id);
  if (name === '' || files.length > 1) return { kind: 'choices', ids };
  return {
    kind: 'missing',
    message: `There is no test run '${name}'. Those of this suite run are:\n${ids.join('\n')}`,
  };
}

interface Listed {
  id: string;
  file: string;
  line: ResultLine | null;
}

async function* listTestRuns(
  files: readonly string[],
  folder: string,
  repetition: number | null,
): AsyncGenerator<Listed & { line: ResultLine }> {
  for (const file of files) {
    const place = relative(folder, dirname(file)).split(sep).join('/');
    for await (const line of resultsOf(file)) {
      if (repetition === null || line.repetition === repetition) yield { id: idOf(place, line), file, line };
    }
  }
}

const idOf = (place: string, { case_name: name, repetition }: ResultLine): string =>
  `${place}/${repetition === 1 ? name : `${name}#${repetition}`}`;

/** The first repetition may be called by its number as well. */
const isCalled = ({ case_name, repetition }: ResultLine, name: string): boolean =>
  name === `${case_name}#${repetition}` || (repetition === 1 && name === case_name);

async function found({ id, file, line }: Listed): Promise<FoundTestRun> {
  if (line === null) throw new Error('only the first of the listed is kept whole');
  return { kind: 'found', testRun: { id, line, version: await readVersion(file) } };
}

async function* resultsOf(file: string): AsyncGenerator<ResultLine> {
  const read = lineReader();
  for await (const text of readLines(file)) {
    const line = read(text);
    if (line.kind === 'result') yield line.result;
  }
}

const RunFile = z.looseObject({ proofmark_version: z.string() });

async function readVersion(file: string): Promise<string | null> {
  const path = join(dirname(dirname(file)), 'run.json');
  if (!existsSync(path)) return null;
  return RunFile.safeParse(JSON.parse(await readFile(path, 'utf8'))).data?.proofmark_version ?? null;
}
