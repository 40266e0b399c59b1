import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What had to be done so that results are never committed. */
export type IgnoredResults = 'created' | 'appended' | 'present';

/** What git takes for the folder of results here, or for every folder of that name. */
const patterns = /^\/?(\*\*\/)?results(\/?|\/\*{1,2})$/;

/** Puts `results/` into the `.gitignore` of a folder, once; what stands there is kept. */
export async function ignoreResults(folder: string): Promise<IgnoredResults> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    await writeFile(path, `${entry}\n`, { flag: 'wx' });
    return 'created';
  }
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  if (lines.some((line) => patterns.test(line))) return 'present';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  await writeFile(path, `${text}${gap}${entry.replaceAll('\n', lineEnd)}${lineEnd}`);
  return 'appended';
}

const entry = '# What runs of Proofmark find\nresults/';
