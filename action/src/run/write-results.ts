import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../job/job.ts';

/** Writes the JSON report below RUNNER_TEMP; null when it cannot be written, which is a warning. */
export async function writeJobResults(
  name: string,
  report: unknown,
  { environment, remark }: Pick<Job, 'environment' | 'remark'>,
): Promise<string | null> {
  if (environment.temp === null) return null;
  const folder = join(environment.temp, 'proofmark');
  const path = join(folder, `${name}.json`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
    return path;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    remark({ level: 'warning', message: `The results file cannot be written: ${reason}` });
    return null;
  }
}
