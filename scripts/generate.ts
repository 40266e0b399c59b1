// `pnpm generate` writes every generated file; with --check it only names those that are not up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from './generated-file.ts';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const stale = await generate();
// Bundles hold the version of their package: once more, when that has changed.
if (!isCheck && stale.some((path) => path.endsWith('package.json'))) stale.push(...(await generate()));

if (isCheck && stale.length > 0) {
  process.stdout.write(`Not up to date: ${stale.join(', ')}\nRun: npm run generate\n`);
  process.exitCode = 1;
} else if (!isCheck) {
  process.stdout.write(stale.length === 0 ? 'Everything was up to date.\n' : `Wrote ${stale.join(', ')}\n`);
}

/** The files that were not up to date. A check ends with the first part that has some: it cannot look at what is built of them. */
async function generate(): Promise<string[]> {
  const found: string[] = [];
  for await (const files of generatedFiles(root)) {
    for (const file of files) if (await isStale(file)) found.push(file.path);
    if (isCheck && found.length > 0) break;
  }
  return found;
}

/** Whether a file was not up to date; it is from now on, where this is no check. */
async function isStale({ path, content }: GeneratedFile): Promise<boolean> {
  const target = join(root, path);
  const present = await readFile(target, 'utf8').catch(() => undefined);
  if (present === content) return false;
  if (!isCheck) {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  return true;
}
