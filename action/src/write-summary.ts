import { appendFile } from 'node:fs/promises';
import type { Job } from './job.ts';

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
