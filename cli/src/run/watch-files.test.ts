import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchFiles } from './watch-files.ts';

/** A watched folder with a suite. */
async function watchedFolder() {
  const root = await mkdtemp(join(tmpdir(), 'proofmark-watch-'));
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await mkdir(join(root, 'evals/talk'), { recursive: true });
  await write('evals/talk/talk.suite.yaml', 'name: Talk');
  const ending = new AbortController();
  const files = watchFiles(root, { without: 'results', signal: ending.signal });
  /** The changes up to the one of a path. */
  const changesUpTo = async (path: string): Promise<string[]> => {
    const seen = new Set<string>();
    const late = setTimeout(() => ending.abort(), 90_000);
    while (!seen.has(path)) {
      const told = await files.next();
      if (told === null) throw new Error(`No change of ${path}, but of: ${[...seen].join(', ')}`);
      for (const one of told) seen.add(one);
    }
    clearTimeout(late);
    return [...seen];
  };
  return {
    ...{ root, write, changesUpTo },
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      files[Symbol.dispose]();
      await rm(root, { recursive: true });
    },
  };
}

test('a folder that is removed and made again is followed as before', async () => {
  await using watched = await watchedFolder();
  const { root, write, changesUpTo } = watched;
  const suite = 'evals/talk/talk.suite.yaml';
  for (const text of ['name: One', 'name: Two']) {
    await rm(join(root, 'evals'), { recursive: true });
    await changesUpTo('evals');
    await mkdir(join(root, 'new/talk'), { recursive: true });
    await writeFile(join(root, 'new/talk/talk.suite.yaml'), 'name: Talk');
    await rename(join(root, 'new'), join(root, 'evals'));
    await changesUpTo('evals');
    await write(suite, text);
    expect(await changesUpTo(suite)).toContain(suite);
  }
});

test('links that lead in circles or nowhere, names with line breaks and files that nobody may read end nothing', async () => {
  await using watched = await watchedFolder();
  const { root, write, changesUpTo } = watched;
  const suite = 'evals/talk/talk.suite.yaml';
  await symlink('..', join(root, 'evals/circle'));
  await symlink('self', join(root, 'evals/self'));
  await symlink('/nowhere/at/all', join(root, 'evals/gone.suite.yaml'));
  await write('evals/a\nb\u001b[2J.suite.yaml', 'name: x');
  await write('evals/closed.suite.yaml', 'name: x');
  await chmod(join(root, 'evals/closed.suite.yaml'), 0);
  await write('evals/large.bin', 'x'.repeat(10_000_000));
  await write(suite, 'name: One');
  await changesUpTo(suite);
  await rm(join(root, 'evals/self'));
  await write(suite, 'name: Two');
  expect(await changesUpTo(suite)).toContain(suite);
});
