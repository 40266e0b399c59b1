import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const named = /^proofmark-[a-z]+-(\d+)-\w+$/;

/** A new directory, under the system's temporary one unless told otherwise, named for its owner so that a later start can sweep it. */
export async function makeScratchDirectory(kind: string, within?: string): Promise<string> {
  const parent = within ?? (await scratchParent());
  sweepStale(parent);
  return mkdtemp(join(parent, `proofmark-${kind}-${process.pid}-`));
}

/** Notes which process works in the directory, so that a sweep can end it too. */
export async function noteServer(directory: string, pid: number): Promise<void> {
  await writeFile(join(directory, 'server.pid'), String(pid));
}

/** Whether every directory on the way lets any user pass, and the last one lets any user read. */
export function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    if ((statSync(parent).mode & 0o001) === 0) return false;
    if (parent === dirname(parent)) return true;
  }
}

// Root starts Postgres as nobody, who must be able to reach the directory: a private TMPDIR will not do.
async function scratchParent(): Promise<string> {
  const parent = await realpath(tmpdir());
  const isRoot = process.getuid?.() === 0;
  return isRoot && !isOpenToAll(parent) ? '/tmp' : parent;
}

/** Ends the servers and removes the directories of owners that died without doing so themselves. */
function sweepStale(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = named.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const directory = join(parent, name);
    try {
      endServer(directory);
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // It belongs to another user, or its guardian removes it at this moment.
    }
  }
}

function endServer(directory: string): void {
  const pid = Number(readOrNothing(join(directory, 'server.pid')));
  // The number may belong to a stranger by now: only a process that names this directory is ended.
  if (Number.isInteger(pid) && pid > 1 && isAlive(pid) && commandLine(pid).includes(directory))
    process.kill(pid, 'SIGKILL');
}

function commandLine(pid: number): string {
  if (process.platform === 'linux') return readOrNothing(`/proc/${pid}/cmdline`);
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
