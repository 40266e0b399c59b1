import { watch } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
  /** Changes as a run sees them that writes new files: those of them that are a change for the next. */
  const keptAfter = async (...paths: string[]): Promise<string[]> => {
    // Each is seen by everybody before the one behind it is.
    for (const path of [...paths, `behind ${paths.join(' ').replaceAll('/', ' ')}.txt`])
      await seen(root, path, () => write(path, 'x'));
    files.forgetWritten(() => false);
    await write('evals/talk/talk.suite.yaml', `name: ${paths.join(' ')}`);
    const told = await changesUpTo('evals/talk/talk.suite.yaml');
    return paths.filter((path) => told.includes(path));
  };
  return {
    ...{ root, write, changesUpTo, keptAfter },
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      files[Symbol.dispose]();
      await rm(root, { recursive: true });
    },
  };
}

/** Ends when the system has told of a file. */
async function seen(root: string, path: string, make: () => Promise<void>): Promise<void> {
  const told = Promise.withResolvers<void>();
  const watcher = watch(dirname(join(root, path)), (_event, name) => {
    if (name === basename(path)) told.resolve();
  });
  await make();
  await told.promise;
  watcher.close();
}

test('new suites are kept run after run, and the sources that a program makes in each run are not', async () => {
  await using watched = await watchedFolder();
  const { keptAfter } = watched;
  for (const path of ['evals/talk/one.suite.yaml', 'evals/talk/two.suite.yaml', 'evals/talk/three.suite.yaml'])
    expect(await keptAfter(path)).toEqual([path]);
  expect(await keptAfter('evals/talk/made-1.mjs')).toEqual(['evals/talk/made-1.mjs']);
  expect(await keptAfter('evals/talk/made-2.mjs', 'tool.mjs', 'evals/talk/four.suite.yaml')).toEqual([
    'tool.mjs',
    'evals/talk/four.suite.yaml',
  ]);
  expect(await keptAfter('evals/talk/made-3.mjs')).toEqual([]);
});

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
