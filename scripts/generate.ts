// `pnpm generate` writes every generated file; with --check it only names those that are not up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const stale = await generate();
// Bundles hold the version of their package and the operations that are printed: once more, when those have changed.
if (!isCheck && stale.some((path) => /(package\.json|\/documents\.ts)$/.test(path))) stale.push(...(await generate()));

if (isCheck && stale.length > 0) {
  process.stdout.write(`Not up to date: ${stale.join(', ')}\nRun: npm run generate\n`);
  process.exitCode = 1;
} else if (!isCheck) {
  process.stdout.write(stale.length === 0 ? 'Everything was up to date.\n' : `Wrote ${stale.join(', ')}\n`);
}

/** The files that were not up to date. */
async function generate(): Promise<string[]> {
  const found: string[] = [];
  for (const { path, content } of await generatedFiles(root)) {
    const target = join(root, path);
    const present = await readFile(target, 'utf8').catch(() => undefined);
    if (present === content) continue;
    found.push(path);
    if (isCheck) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  return found;
}
