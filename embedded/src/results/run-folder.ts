import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { openResultLog, writeWhole } from './result-files.ts';
import { lineWriter, type ResultLine } from './result-line.ts';

/** The folder of one run: each result is on disk before the next step, so that nothing piles up in memory or gets lost. */
export interface RunFolder {
  readonly path: string;
  /** Writes a file of the run, a path from its folder, and returns where it is. Never leaves half a file. */
  write: (name: string, content: string | Iterable<string>) => Promise<string>;
  /** Where the answers of simulated tools stand, one per line; absent when there were none. */
  readonly cassettePath: string;
  /** Where it stands which cells were stopped early; absent when nothing had rounds to stop after. */
  readonly decisionsPath: string;
  /** Where the results of a suite run stand, a line per test run in the order in which they ended. */
  resultsPath: (suiteRun: NamedSuiteRun, position: number) => string;
  reportPath: (suiteRun: NamedSuiteRun, position: number) => string;
  /** Writes a report that was made elsewhere, and returns where it is. */
  keepReport: (suiteRun: NamedSuiteRun, position: number, content: string) => Promise<string>;
  /** Writes why test runs of such a report did not pass: a list of `{ result, reasons }`. */
  keepReasons: (suiteRun: NamedSuiteRun, position: number, content: string) => Promise<string>;
}

/** What the folder of a suite run is called for. */
type NamedSuiteRun = Pick<PlannedSuiteRun, 'suiteName' | 'cellKey' | 'variant'>;

/** In the folder of a run: the results of the rerun that settles suspicions. */
export const confirmationFolder = 'confirmation';
/** What became of stored answers that were judged again. */
export const judgedAgainFolder = 'judged-again';
/** All folders in it that hold test runs beside those of the run itself. */
export const furtherFolders: readonly string[] = [confirmationFolder, judgedAgainFolder];

export function runFolder(resultsDirectory: string, runId: string): RunFolder {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(runId)) throw new Error(`${runId} cannot name a folder`);
  const path = join(resultsDirectory, runId);
  const file = (suiteRun: NamedSuiteRun, position: number, name: string): string =>
    join(path, suiteRunFolder(suiteRun, position), name);
  return {
    path,
    cassettePath: join(path, 'cassette.jsonl'),
    decisionsPath: join(path, 'rounds.jsonl'),
    write: (name, content) => writeWhole(join(path, name), content),
    resultsPath: (suiteRun, position) => file(suiteRun, position, 'results.jsonl'),
    reportPath: (suiteRun, position) => file(suiteRun, position, 'report.json'),
    keepReport: (suiteRun, position, content) => writeWhole(file(suiteRun, position, 'report.json'), content),
    keepReasons: (suiteRun, position, content) => writeWhole(file(suiteRun, position, 'reasons.json'), content),
  };
}

/** `01-support-agent-temperature-0-baseline`: readable, and never two of a run the same. */
function suiteRunFolder({ suiteName, cellKey, variant }: NamedSuiteRun, position: number): string {
  const words = [suiteName, cellKey, variant === 'head' ? '' : variant].map(slug).filter((word) => word !== '');
  return [String(position + 1).padStart(2, '0'), ...words].join('-');
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);

/**
 * Writes results that were made elsewhere to a results file like that of a run in this process; how many they were. What
 * several have in common is written once. Whoever throws on the way leaves no file.
 */
export async function writeResults(path: string, results: AsyncIterable<ResultLine>): Promise<number> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  try {
    const count = await writeLines(part, results);
    if (count > 0) await rename(part, path);
    return count;
  } finally {
    await rm(part, { force: true });
  }
}

async function writeLines(path: string, results: AsyncIterable<ResultLine>): Promise<number> {
  await using log = await openResultLog(path);
  const [write, share] = [lineWriter(), sharedValues()];
  let count = 0;
  for await (const result of results) {
    const { parts, line } = write(share(result));
    await log.append(line, parts);
    count += 1;
  }
  return count;
}

/** Equal parts as one object: by that the writer of lines knows them again. */
function sharedValues(): (result: ResultLine) => ResultLine {
  const known = new Map<string, object>();
  const one = <Value extends object>(value: Value): Value => {
    const text = JSON.stringify(value);
    // Whatever was kept under this text had the same shape.
    const found = known.get(text) as Value | undefined;
    if (found === undefined) known.set(text, value);
    return found ?? value;
  };
  return (result) => {
    if (result.work === null) return result;
    const { agent, model, instrument, resolvedVariables, limits, ...own } = result.work;
    const shared = { agent: one(agent), instrument: one(instrument), resolvedVariables: one(resolvedVariables) };
    const work = { ...own, ...shared, limits: one(limits), model: model === null ? null : one(model) };
    return { ...result, work };
  };
}
