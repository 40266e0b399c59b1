import { statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { fencedBlock, inlineCode, joinBlocks } from '@proofmark/domain/markdown-text';
import type { ReportMode } from '../job/decide-exit.ts';
import { foreignLine, type Job, printForeign, type Remark } from '../job/job.ts';
import type { JobSummary } from '../job/job-report.ts';

const maxOfEach = 10;

/** Shows an ended run in the summary and the log of the job; its headline is the last line. */
export async function showReport(report: JobSummary, reportMode: ReportMode, job: Job): Promise<void> {
  await writeSummary(report.markdown, job);
  // With the App the same remarks stand on the check runs.
  if (reportMode === 'summary') annotate(report, job);
  printForeign(report.text, job.write);
  job.write(`Proofmark: ${foreignLine(report.headline)}`);
}

const remarkLevels = { failure: 'error', warning: 'warning', notice: 'notice' } as const;

function annotate({ annotations }: JobSummary, { remark, write }: Job): void {
  for (const level of ['failure', 'warning', 'notice'] as const) {
    const alike = annotations.filter((one) => one.level === level);
    for (const { path, line, title, message } of alike.slice(0, maxOfEach)) {
      const place = { title: foreignLine(title), file: path, line };
      remark({ level: remarkLevels[level], message: reasonInOurWords(message), ...place });
    }
    const rest = alike.length - maxOfEach;
    if (rest > 0) write(`${rest} more ${rest === 1 ? 'case' : 'cases'} of this kind (${level}): see the summary.`);
  }
}

/** The kind of check that did not pass. What follows may be a judge's text, and a model's text is never in an annotation here. */
function reasonInOurWords(message: string): string {
  const kind = /^[a-z_]{1,40}(?=:)/.exec(message)?.[0];
  return `${kind ?? 'This case'} did not pass: see the summary of the job.`;
}

/** Above 1 MiB GitHub drops all of a step's summary. */
const maxBytes = 900_000;
const mark = '\n\n… cut here, the full report has the rest\n';

/** Appends to the summary of the step. A summary that cannot be written is a warning and changes nothing else. */
export async function writeSummary(
  markdown: string,
  { environment, remark }: Pick<Job, 'environment' | 'remark'>,
): Promise<void> {
  const { summaryPath } = environment;
  if (summaryPath === null) return;
  try {
    await appendFile(summaryPath, `${clipSummary(markdown)}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    remark({ level: 'warning', message: `The summary of the job cannot be written: ${reason}` });
  }
}

/** At most 900 KB, cut after a whole line. */
export function clipSummary(markdown: string): string {
  if (Buffer.byteLength(markdown) <= maxBytes) return markdown;
  const bytes = Buffer.from(markdown).subarray(0, maxBytes - Buffer.byteLength(mark));
  // A line break is never inside a character, so what is before the last one is whole.
  return `${bytes.subarray(0, Math.max(0, bytes.lastIndexOf('\n'))).toString('utf8')}${mark}`;
}

/** A job that has no result to show says in its summary at least why: how it ended, and the remarks that stand in its log. */
export async function summarizeEnding(
  remarks: readonly Remark[],
  job: Pick<Job, 'environment' | 'remark' | 'outputs'>,
): Promise<void> {
  const { summaryPath } = job.environment;
  if (summaryPath === null) return;
  if (hasText(summaryPath)) return;
  const { outcome, 'run-url': runUrl } = job.outputs;
  const ending = endings[outcome ?? ''] ?? 'nothing was judged';
  const link = runUrl === undefined ? '' : `[The run](${runUrl})`;
  await writeSummary(joinBlocks([`### Proofmark: ${ending}`, remarksMarkdown(remarks), link]), job);
}

/** Of a file that cannot be looked at, nothing is known: writing to it tells why. */
function hasText(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

const endings: Record<string, string> = {
  pending: 'the run goes on without this job',
  cancelled: 'the job was cancelled',
};

const maxRemarkUnits = 1_000;

function remarksMarkdown(remarks: readonly Remark[]): string {
  const lines = remarks.slice(0, maxOfEach).map(({ file, line, message }) => {
    const place = file === undefined ? '' : `${inlineCode(line === undefined ? file : `${file}:${line}`)} `;
    return message.includes('\n')
      ? joinBlocks([`- ${place}`, fencedBlock(message)])
      : `- ${place}${inlineCode(message, maxRemarkUnits)}`;
  });
  return lines.join('\n');
}
