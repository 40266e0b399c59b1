import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

/** Imports a configuration of which everything is translated, and reads what was written. */
export async function importWhole(text: string, files: Record<string, string> = {}) {
  await using project = await copyProject();
  const { folder } = project;
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await writeFile(join(folder, config), text);
  const ended = await commandIn(folder, ['import', 'promptfoo', config]);
  expect([ended.code, ended.stderr.replaceAll(/^.*: note: .*\n/gm, '')]).toEqual([
    0,
    expect.not.stringMatching(/^\S+:\d+ /m),
  ]);
  expect((await commandIn(folder, ['validate'])).code).toBe(0);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /\.(?:yaml|mjs|json|py|txt)$/.test(path));
  const texts = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
  );
  const read = (path: string) => parse(texts.get(path) ?? 'null');
  const suites = paths
    .filter((path) => path.endsWith('.suite.yaml'))
    .toSorted()
    .map(read);
  return { read, texts, suites, project: read('proofmark.yaml'), stderr: ended.stderr };
}
