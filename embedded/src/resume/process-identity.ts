import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';

/** Which process on which machine: a number alone is given to another process some day. */
export const ProcessIdentity = z.strictObject({
  pid: z.int().min(1),
  host: z.string(),
  /** When it started, in words of its system; null where that cannot be asked. */
  started: z.string().nullable(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  host: hostname(),
  started: await startOf(process.pid),
});

/** `elsewhere`: on a machine whose processes cannot be seen from here. */
export async function stateOf({ pid, host, started }: ProcessIdentity): Promise<'alive' | 'gone' | 'elsewhere'> {
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
