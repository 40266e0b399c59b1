import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseReports } from '@proofmark/domain/parse-report';
import { readReasons } from '@proofmark/embedded/read-reasons';
import type { ShownReport } from './output/render-reports.ts';

export type ReadReports = { ok: true; reports: ShownReport[] } | { ok: false; message: string };

/** The reports of a file, or of the folder of a run with a report per suite run; with the reasons where their results lie beside. */
export async function readReports(path: string): Promise<ReadReports> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const files = stats.isDirectory() ? await reportFiles(path) : [path];
  if (files.length === 0) return { ok: false, message: `${path}: no report.json in its folders` };
  const reports: ShownReport[] = [];
  for (const file of files) {
    const parsed = parseReports(await readFile(file, 'utf8'));
    if (!parsed.ok) {
      const problems = parsed.problems
        .slice(0, 10)
        .map((problem) => `  ${problem.path}: ${problem.message} (${problem.code})`);
      return { ok: false, message: [`${file} is not a report:`, ...problems].join('\n') };
    }
    const [only] = parsed.reports;
    const reasons = parsed.reports.length === 1 ? await readReasons(file, only?.results.length ?? 0) : undefined;
    reports.push(...parsed.reports.map((report) => ({ report, ...(reasons && { reasons }) })));
  }
  return { ok: true, reports };
}

async function reportFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => /(^|[\\/])report\.json$/.test(entry))
    .sort()
    .map((entry) => join(folder, entry));
}
