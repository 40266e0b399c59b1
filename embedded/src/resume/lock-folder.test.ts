import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { heldWords, lockFolder, type ProcessIdentity, processState } from './lock-folder.ts';

async function scratch(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-lock-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** A process that has ended: its number belongs to nobody. */
async function endedProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  if (child.pid === undefined) throw new Error('It did not start');
  return { pid: child.pid, host: hostname(), started: 'long ago' };
}

const leave = (folder: string, holder: ProcessIdentity, number = 1) =>
  writeFile(join(folder, `lock.${number}`), `${JSON.stringify(holder)}\n`);

describe('the lock of a folder', () => {
  test('is for one at a time, and the next one may have it after that', async () => {
    await using place = await scratch();
    const folder = join(place.folder, 'deep/er');
    const first = await lockFolder(folder);
    expect(await lockFolder(folder)).toMatchObject({ ok: false, holder: { pid: process.pid }, isElsewhere: false });
    if (first.ok) await first[Symbol.asyncDispose]();
    const second = await lockFolder(folder);
    expect([first.ok, second.ok]).toEqual([true, true]);
    if (second.ok) await second[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
  });

  test('has one winner however many want it at once, also when a process that is gone has left one', async () => {
    await using place = await scratch();
    await leave(place.folder, await endedProcess());
    const taken = await Promise.all(Array.from({ length: 12 }, () => lockFolder(place.folder)));
    expect(taken.filter(({ ok }) => ok)).toHaveLength(1);
    for (const lock of taken) if (lock.ok) await lock[Symbol.asyncDispose]();
    expect(await readdir(place.folder)).toEqual([]);
  });

  test('of a process that is gone counts for nothing, not even when its number was given away again', async () => {
    await using place = await scratch();
    await leave(place.folder, await endedProcess());
    await leave(place.folder, { pid: process.pid, host: hostname(), started: 'another boot 17' }, 2);
    await using lock = await closable(lockFolder(place.folder));
    expect(lock.ok).toBe(true);
  });

  test('that somebody left empty counts for nothing', async () => {
    await using place = await scratch();
    await mkdir(place.folder, { recursive: true });
    await writeFile(join(place.folder, 'lock.1'), '');
    await using lock = await closable(lockFolder(place.folder));
    expect(lock.ok).toBe(true);
  });

  test('that cannot be read holds: only a file that is not there says that nobody is', async () => {
    await using place = await scratch();
    const path = join(place.folder, 'lock.1');
    await mkdir(path);
    const lock = await lockFolder(place.folder);
    expect(lock).toEqual({ ok: false, kind: 'unreadable', path, reason: 'EISDIR' });
    expect(lock.ok ? '' : heldWords('Run r', lock)).toBe(
      `Run r may be being run by another process: ${path} cannot be read (EISDIR). Make it readable for this user, or delete it when nobody runs that any more`,
    );
  });

  test('of another machine holds: nobody here can say that it is gone', async () => {
    await using place = await scratch();
    await leave(place.folder, { pid: 1, host: 'far-away', started: null });
    const lock = await lockFolder(place.folder);
    expect(lock).toMatchObject({ ok: false, isElsewhere: true, path: join(place.folder, 'lock.1') });
  });
});

test('a process of somebody else is alive as well', async () => {
  expect(await processState({ pid: process.ppid, host: hostname(), started: null })).toBe('alive');
});

/** A lock that is given back at the end of the test, when it was got. */
async function closable(taking: ReturnType<typeof lockFolder>) {
  const lock = await taking;
  return { ok: lock.ok, [Symbol.asyncDispose]: async () => (lock.ok ? await lock[Symbol.asyncDispose]() : undefined) };
}
