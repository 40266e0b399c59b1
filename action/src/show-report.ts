import type { ReportMode } from './decide-exit.ts';
import type { Job } from './job.ts';
import { foreignLine, printForeign } from './job-log.ts';
import type { JobReport } from './job-report.ts';
import { writeSummary } from './write-summary.ts';

const maxOfEach = 10;

/** Shows an ended run in the summary and the log of the job; its headline is the last line. */
export async function showReport(report: JobReport, reportMode: ReportMode, job: Job): Promise<void> {
  await writeSummary(report.markdown, job);
  // With the App the same remarks stand on the check runs.
  if (reportMode === 'summary') annotate(report, job);
  printForeign(report.text, job.write);
  job.write(`Proofmark: ${foreignLine(report.headline)}`);
}

const remarkLevels = { failure: 'error', warning: 'warning', notice: 'notice' } as const;

function annotate({ annotations }: JobReport, { remark, write }: Job): void {
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
