import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, relative, sep } from 'node:path';
import { z } from 'zod';
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
  /** `RUN/SUITE-RUN/CASE`, with `#N` behind it for another repetition than the first; or a path that ends so. */
  id: string;
  /** Where ids begin: the current folder, and that of all results. */
  folders: readonly string[];
}

/** The test run of an id; without the name of a case the ids that there are. Nothing is changed. */
export async function findTestRun({ id, folders }: Question): Promise<FoundTestRun> {
  for (const folder of isAbsolute(id) ? [parse(id).root] : folders) {
    const place = placeOf(folder, id.split('/'));
    if (place === null) continue;
    const files = await resultsFiles(place.path);
    if (files.length === 0) continue;
    return await search(files, { folder, name: place.rest.join('/') });
  }
  return { kind: 'missing', message: `There are no results of ${id} in ${folders.join(' or ')}.` };
}

/** The longest beginning of the id that is a file or folder. */
function placeOf(folder: string, parts: readonly string[]): { path: string; rest: readonly string[] } | null {
  for (let taken = parts.length; taken > 0; taken -= 1) {
    const path = join(folder, ...parts.slice(0, taken));
    if (existsSync(path)) return { path, rest: parts.slice(taken) };
  }
  return null;
}

async function resultsFiles(path: string): Promise<string[]> {
  if (!statSync(path).isDirectory()) return basename(path) === resultsName ? [path] : [];
  const entries = await readdir(path, { recursive: true });
  return entries
    .filter((entry) => basename(entry) === resultsName)
    .toSorted()
    .map((entry) => join(path, entry));
}

async function search(
  files: readonly string[],
  { folder, name }: { folder: string; name: string },
): Promise<FoundTestRun> {
  const ids: string[] = [];
  for (const file of files) {
    const place = relative(folder, dirname(file)).split(sep).join('/');
    for await (const line of resultsOf(file)) {
      const called = line.repetition === 1 ? line.case_name : `${line.case_name}#${line.repetition}`;
      const id = `${place}/${called}`;
      ids.push(id);
      if (called === name && files.length === 1) {
        return { kind: 'found', testRun: { id, line, version: await readVersion(file) } };
      }
    }
  }
  if (name === '' || files.length > 1) return { kind: 'choices', ids };
  return {
    kind: 'missing',
    message: `There is no test run '${name}'. Those of this suite run are:\n${ids.join('\n')}`,
  };
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
