import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { plural } from '@proofmark/domain/format-numbers';
import { type ParsedReports, parseReports, reportsOf } from '@proofmark/domain/parse-report';
import type { ReportWithFacts } from '@proofmark/domain/report-with-facts';
import { sessionIdOfFile, sessionReports } from '@proofmark/domain/session-files';
import { summarize } from '@proofmark/domain/summarize';
import { comparisonStore, ExecutionError } from '@proofmark/embedded/comparison-store';
import { readListedRun } from '@proofmark/embedded/list-runs';
import { readBeside } from '@proofmark/embedded/read-beside';
import { parseYaml } from '../output/report-yaml.ts';

type ReadReports = { ok: true; reports: ReportWithFacts[] } | { ok: false; message: string };

/** Enough for a page, and little enough for a small machine. */
export const unitsOfPage = 32_000_000;

/**
 * The reports of a file, of the folder of a run with a report per suite run, or of an A/B comparison; with the reasons where their results lie
 * beside, and with as many characters of what was kept of the test runs as `keptUnits` says.
 */
export async function readReports(
  path: string,
  { keptUnits = 0, version = '', repetition = null }: ReadingReports = {},
): Promise<ReadReports> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const ofComparison = await readComparison(path, { isFolder: stats.isDirectory(), version });
  if (ofComparison !== null) return ofComparison;
  const files = stats.isDirectory() ? await reportFiles(path) : [path];
  if (files.length === 0) return { ok: false, message: await whyNoReport(path) };
  const reports: ReportWithFacts[] = [];
  for (const file of files) {
    const parsed = parseFile(file, await readFile(file, 'utf8'));
    if (!parsed.ok) {
      const problems = parsed.problems
        .slice(0, 10)
        .map((problem) => `  ${problem.path}: ${problem.message} (${problem.code})`);
      return { ok: false, message: [`${file} is not a report:`, ...problems].join('\n') };
    }
    const [only] = parsed.reports;
    const isOne = parsed.reports.length === 1 && only !== undefined;
    const beside = isOne
      ? await readBeside(file, only.results.length, {
          keptUnits: Math.floor(keptUnits / files.length),
        })
      : {};
    reports.push(...parsed.reports.map((report) => ({ report, ...beside })));
  }
  if (repetition === null) return { ok: true, reports };
  const ofIt = reports.flatMap((one) => onlyRepetition(one, repetition) ?? []);
  if (ofIt.length > 0) return { ok: true, reports: ofIt };
  return { ok: false, message: `${path}: no result of repetition ${repetition} is in it` };
}

interface ReadingReports {
  keptUnits?: number;
  version?: string;
  /** Null: all of them. */
  repetition?: number | null;
}

/** The report with the results of one repetition; the verdict is that of all and stays away. Null when it has none of them. */
function onlyRepetition({ report, facts, reasons, kept }: ReportWithFacts, repetition: number): ReportWithFacts | null {
  const places = report.results.flatMap((_, place) => (facts?.get(place)?.repetition === repetition ? [place] : []));
  const results = places.flatMap((place) => report.results[place] ?? []);
  if (results.length === 0) return null;
  const moved = <Value>(of: ReadonlyMap<number, Value> | undefined) =>
    new Map(places.flatMap((place, at) => (of?.has(place) ? [[at, of.get(place) as Value] as const] : [])));
  return {
    report: { ...report, results, summary: summarize(results), skipped: [] },
    ...{ facts: moved(facts), reasons: moved(reasons), kept: moved(kept) },
  };
}

function parseFile(file: string, text: string): ParsedReports {
  if (!/\.ya?ml$/i.test(file)) return parseReports(text);
  const value = parseYaml(text);
  if (value !== undefined) return reportsOf(value);
  return { ok: false, problems: [{ path: '', code: 'parse_error', message: 'the file is not YAML' }] };
}

/** A run that was cut short has none yet: it can go on, or has left results that other commands read. */
async function whyNoReport(folder: string): Promise<string> {
  const run = await readListedRun(dirname(folder), basename(folder));
  if (run === null) return `${folder}: no report.json in its folders`;
  const { runId, state, executed, planned, canGoOn } = run;
  const kept = `${executed} of ${plural(planned, 'test run')} ${executed === 1 ? 'has' : 'have'} a result`;
  const why = state === 'open' ? 'it was killed, or it still goes on' : `it is ${state}`;
  const way = canGoOn ? `. Its report is written at its end: proofmark run --resume ${folder}` : '';
  return `${runId} has no report, because ${why}: ${kept}${way}`;
}

/** The reports of the comparison that a file, or the folder beside it, belongs to; null for everything else. */
async function readComparison(
  path: string,
  { isFolder, version }: { isFolder: boolean; version: string },
): Promise<ReadReports | null> {
  const id = isFolder ? basename(path) : sessionIdOfFile(basename(path));
  if (id === undefined) return null;
  try {
    const comparison = await comparisonStore(dirname(path)).loadComparison(id);
    if (comparison === null) return null;
    const reports = sessionReports(comparison, version);
    if (reports.length > 0) return { ok: true, reports };
    return { ok: false, message: `${path}: nothing of this session was answered, so there is nothing to report` };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    return { ok: false, message: error.message };
  }
}

async function reportFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => /(^|[\\/])report\.json$/.test(entry))
    .sort()
    .map((entry) => join(folder, entry));
}
