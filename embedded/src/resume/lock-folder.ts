import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pause } from '@proofmark/process/pause';
import { z } from 'zod';

type FolderLock = ({ ok: true } & AsyncDisposable) | HeldLock;

/** Who has it, and the file that says so; or why that file says nothing to this process. */
type HeldLock = { ok: false; path: string } & (
  | { kind: 'held'; holder: ProcessIdentity; isElsewhere: boolean }
  | { kind: 'unreadable'; reason: string }
);

/**
 * A folder for this process alone, until it is disposed of. The lock of a process that is gone counts for nothing: each
 * taker makes the file with the next number, which only one can make.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    const numbers = await lockNumbers(folder);
    const held = await findHolder(folder, numbers);
    if (held !== undefined) return held;
    const own = (numbers.at(-1) ?? 0) + 1;
    if (!(await makeLock(folder, own))) continue;
    // Who looked while another one tidied up may have begun again at 1: the higher number has it.
    const higher = (await lockNumbers(folder)).filter((number) => number > own);
    const faster = await findHolder(folder, higher);
    if (faster === undefined) return { ok: true, [Symbol.asyncDispose]: () => release(folder, own) };
    await rm(pathOf(folder, own), { force: true });
    return faster;
  }
}

const pathOf = (folder: string, number: number): string => join(folder, `lock.${number}`);

async function lockNumbers(folder: string): Promise<number[]> {
  const found = (await readdir(folder)).flatMap((name) => /^lock\.(\d{1,9})$/.exec(name)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

async function findHolder(folder: string, numbers: readonly number[]): Promise<HeldLock | undefined> {
  for (const number of numbers) {
    const path = pathOf(folder, number);
    const read = await readHolder(path);
    if (read.kind === 'unreadable') return { ok: false, path, ...read };
    if (read.kind === 'nobody') continue;
    const { holder } = read;
    const state = await processState(holder);
    if (state !== 'gone') return { ok: false, path, kind: 'held', holder, isElsewhere: state === 'elsewhere' };
  }
  return undefined;
}

const looks = 20;
const lookEveryMs = 25;

type ReadHolder =
  | { kind: 'holder'; holder: ProcessIdentity }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'nobody' };

/** Nobody for a file that is gone, or that a process left empty when it was killed just then. */
async function readHolder(path: string): Promise<ReadHolder> {
  for (let look = 0; look < looks; look += 1) {
    const read = await readLock(path);
    if (read.text === null)
      return read.reason === 'ENOENT' ? { kind: 'nobody' } : { kind: 'unreadable', reason: read.reason };
    if (read.text.endsWith('\n')) return parseHolder(read.text);
    // It has just been made, and what is in it is being written.
    await pause(lookEveryMs, new AbortController().signal);
  }
  return { kind: 'nobody' };
}

/** ENOENT: whoever had it gave it back in between. Any other reason says nothing about him. */
async function readLock(path: string): Promise<{ text: string } | { text: null; reason: string }> {
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { text: null, reason: String(error.code) };
    throw error;
  }
}

function parseHolder(text: string): ReadHolder {
  try {
    return { kind: 'holder', holder: ProcessIdentity.parse(JSON.parse(text)) };
  } catch {
    // Somebody wrote something else into it: it says of nobody that he is here.
    return { kind: 'nobody' };
  }
}

/** False when somebody else has made it. */
async function makeLock(folder: string, number: number): Promise<boolean> {
  try {
    await writeFile(pathOf(folder, number), `${JSON.stringify(await ownIdentity())}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Its own file last: until then nobody else may begin. */
async function release(folder: string, own: number): Promise<void> {
  const left = (await lockNumbers(folder)).filter((number) => number < own);
  for (const number of [...left, own]) await rm(pathOf(folder, number), { force: true });
}

/** Who has the folder of this run, and what to do about it. */
export function heldWords(name: string, held: HeldLock): string {
  if (held.kind === 'unreadable')
    return `${name} may be being run by another process: ${held.path} cannot be read (${held.reason}). Make it readable for this user, or delete it when nobody runs that any more`;
  const { pid, host } = held.holder;
  return held.isElsewhere
    ? `${name} is being run by process ${pid} of the machine ${host}. When that is gone, delete ${held.path}`
    : `${name} is being run by process ${pid}: wait for its end, or end it`;
}

/** Which process on which machine: a number alone is given to another process some day. */
export const ProcessIdentity = z.strictObject({
  pid: z.int().min(1),
  host: z.string(),
  /** When it started, in words of its system; null where that cannot be asked. */
  started: z.string().nullable(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  host: hostname(),
  started: await startOf(process.pid),
});

/** `elsewhere`: on a machine whose processes cannot be seen from here. */
export async function processState({ pid, host, started }: ProcessIdentity): Promise<'alive' | 'gone' | 'elsewhere'> {
  if (host !== hostname()) return 'elsewhere';
  if (!isThere(pid)) return 'gone';
  const now = await startOf(pid);
  return started === null || now === null || now === started ? 'alive' : 'gone';
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The boot and the tick of the start. Null without such files: other systems have their own. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The name of the program stands in brackets and may hold anything; the start is the 22nd word of all.
    const tick = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return tick === undefined ? null : `${boot.trim()} ${tick}`;
  } catch {
    return null;
  }
}
