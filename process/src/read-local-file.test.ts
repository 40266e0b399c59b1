import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLocalFile } from './read-local-file.ts';

/** A repository with a secret beside it. */
async function aRepository(): Promise<{ root: string } & AsyncDisposable> {
  const place = await mkdtemp(join(tmpdir(), 'repository-'));
  const root = join(place, 'repo');
  await mkdir(join(root, 'docs'), { recursive: true });
  await mkdir(join(root, '.git'));
  await writeFile(join(root, 'docs/a.txt'), 'text');
  await writeFile(join(root, '.git/config'), 'secret');
  await writeFile(join(place, 'secret.txt'), 'secret');
  return { root, [Symbol.asyncDispose]: () => rm(place, { recursive: true }) };
}

const failed = (part: string) => ({ ok: false, message: expect.stringContaining(part) });

test('a file is read relative to the root of the repository (S0-17)', async () => {
  await using repository = await aRepository();

  expect(await readLocalFile('docs/a.txt', repository.root)).toEqual({ ok: true, bytes: Buffer.from('text') });
});

test.each([
  '',
  '/etc/passwd',
  '../secret.txt',
  'docs/../../secret.txt',
  'docs/..',
  'C:/Windows/win.ini',
  '\\\\server\\share',
  'docs\\a.txt',
  '~/a',
  'docs/%2e%2e/a.txt',
  'docs/a.txt\0.png',
  '.git/config',
  'docs/.hidden',
  'docs//a.txt',
])('the path %j is refused (F1)', async (path) => {
  await using repository = await aRepository();

  expect(await readLocalFile(path, repository.root)).toEqual(failed('`path` must'));
});

test('links lead only to what a path of its own could name (F1)', async () => {
  await using repository = await aRepository();
  const { root } = repository;
  await symlink('docs', join(root, 'inside'));
  await symlink('../secret.txt', join(root, 'outside.txt'));
  await symlink('.git/config', join(root, 'hidden.txt'));
  await symlink('loop.txt', join(root, 'loop.txt'));

  expect(await readLocalFile('inside/a.txt', root)).toMatchObject({ ok: true });
  expect(await readLocalFile('outside.txt', root)).toEqual(failed('must stay inside'));
  expect(await readLocalFile('hidden.txt', root)).toEqual(failed('hidden'));
  expect(await readLocalFile('loop.txt', root)).toEqual(failed('is not there'));
});

test('what is missing, a folder or a pipe is an error', async () => {
  await using repository = await aRepository();
  const { root } = repository;
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')]);
  await using socket = createServer().listen(join(root, 'socket'));
  await once(socket, 'listening');

  expect(await readLocalFile('docs/b.txt', root)).toEqual(failed('is not there'));
  expect(await readLocalFile('docs/a.txt/b', root)).toEqual(failed('is not there'));
  expect(await readLocalFile('docs', root)).toEqual(failed('is not a regular file'));
  expect(await readLocalFile('pipe', root)).toEqual(failed('is not a regular file'));
  expect(await readLocalFile('socket', root)).toEqual(failed('cannot be read (ENXIO)'));
});

test('a file of more than 20 MB is refused by its size (F2)', async () => {
  await using repository = await aRepository();
  const path = join(repository.root, 'large.txt');
  await writeFile(path, '');
  await truncate(path, 20 * 1024 * 1024 + 1);

  expect(await readLocalFile('large.txt', repository.root)).toEqual(failed('is larger than 20 MB'));
});
