import { relative, resolve } from 'node:path';
import { renderAnswer } from '@proofmark/domain/report-json';
import type { ReportWithFacts } from '@proofmark/domain/report-with-facts';
import type { CommandContext } from './arguments/command.ts';
import { type Format, formatOfPath, renderReports } from './output/render-reports.ts';
import { goOnLine, runSummary } from './output/run-summary.ts';
import { plain, shownDocument } from './output/terminal.ts';
import { writeOutput } from './output/write-output.ts';
import { readReports, unitsOfPage } from './read-reports.ts';
import { type EndedRun, runAnswer } from './run-outcome.ts';

/** How the result of a run was asked for. */
export interface Telling {
  format?: Format | undefined;
  output?: string | undefined;
  json: boolean;
}

export interface ToldRun {
  runId: string;
  ended: EndedRun;
  /** What to type to go on with it when it was cut short; null: it cannot go on. */
  goOn: string | null;
}

/** Prints what was asked for; why the report could not be written, if so. */
export async function tellRun(
  { runId, ended, goOn }: ToldRun,
  options: Telling,
  { terminal, cwd }: CommandContext,
): Promise<string | undefined> {
  const format =
    options.format ?? (options.output === undefined ? undefined : (formatOfPath(options.output) ?? 'json'));
  const summary = runSummary(ended.suiteRuns, { folder: shortPath(cwd, ended.folder), goOn }, terminal);
  if (options.json) terminal.write(renderAnswer(runAnswer(runId, ended)));
  if (format === undefined) {
    if (options.json) terminal.writeError(goOnLine(ended.suiteRuns, goOn));
    else terminal.write(summary);
    return undefined;
  }
  const text = await reportText(ended, format);
  if (options.output === undefined) {
    terminal.writeError(summary);
    terminal.write(shownDocument(text, terminal));
    return undefined;
  }
  const problem = await writeOutput(resolve(cwd, options.output), text);
  if (!options.json) terminal.write(`${summary}${problem === undefined ? `Report: ${plain(options.output)}\n` : ''}`);
  return problem;
}

async function reportText({ suiteRuns }: EndedRun, format: Format): Promise<string> {
  const written = suiteRuns.flatMap(({ report, verdict }) => (report.ok ? [{ path: report.path, verdict }] : []));
  const shown: ReportWithFacts[] = [];
  for (const { path, verdict } of written) {
    const read = await readReports(path, { keptUnits: format === 'html' ? unitsOfPage / written.length : 0 });
    if (!read.ok) throw new Error(`The report just written to ${path} cannot be read`);
    shown.push(...read.reports.map((report) => ({ ...report, verdict })));
  }
  return renderReports(shown, format);
}

/** From the current folder, or absolute when that would climb. */
function shortPath(cwd: string, path: string): string {
  const fromHere = relative(cwd, path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}
