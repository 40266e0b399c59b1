import { statSync } from 'node:fs';
import { readReportFiles } from './read-report-file.ts';
import { findResults, readResultFiles } from './read-run-folder.ts';
import type { StoredSuiteRun } from './stored-suite-run.ts';

export type StoredResults = { ok: true; suiteRuns: StoredSuiteRun[] } | { ok: false; message: string };

/** The suite runs of a run's folder or results file, with the hashes by which they may be compared. */
export async function readStoredResults(path: string): Promise<StoredResults> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const files = await findResults(path, stats.isDirectory());
  const suiteRuns = await readResultFiles(files);
  return suiteRuns.length === 0
    ? { ok: false, message: `${path}: no results of a run (results.jsonl) are in it` }
    : { ok: true, suiteRuns };
}

export type ResultPairs =
  | {
      ok: true;
      base: StoredSuiteRun[];
      head: StoredSuiteRun[];
    }
  | { ok: false; message: string };

/** Both sides in the form that both have: results where there are some, else reports, which know less. */
export async function readBothSides(basePath: string, headPath: string): Promise<ResultPairs> {
  const [base, head] = [await readStoredResults(basePath), await readStoredResults(headPath)];
  if (base.ok && head.ok) return { ok: true, base: base.suiteRuns, head: head.suiteRuns };
  const [baseReports, headReports] = [await readAsReports(basePath), await readAsReports(headPath)];
  if (!baseReports.ok) return baseReports;
  if (!headReports.ok) return headReports;
  return { ok: true, base: baseReports.suiteRuns, head: headReports.suiteRuns };
}

async function readAsReports(path: string): Promise<StoredResults> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const read = await readReportFiles(path, stats.isDirectory());
  if (read.ok && read.suiteRuns.length === 0)
    return { ok: false, message: `${path}: no results and no report are in it` };
  return read;
}
