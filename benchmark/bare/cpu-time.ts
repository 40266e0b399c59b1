import { readdir, readFile, writeFile } from 'node:fs/promises';

/** Linux counts the time of processes in hundredths of a second, whatever the kernel's own clock. */
const msPerTick = 10;

/** What a process and those that it started have used of the processors so far, in milliseconds. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const all = (await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readStat))).flat();
  const own = all.find((stat) => stat.pid === pid);
  if (own === undefined) throw new Error(`process ${pid} has ended`);
  return msPerTick * (own.ticks + own.ticksOfEnded + ticksBelow(pid, all));
}

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
  /** Of children that ended. */
  ticksOfEnded: number;
}

function ticksBelow(parent: number, all: readonly Stat[]): number {
  const children = all.filter((stat) => stat.parent === parent);
  return children.reduce((sum, { pid, ticks, ticksOfEnded }) => sum + ticks + ticksOfEnded + ticksBelow(pid, all), 0);
}

async function readStat(pid: string): Promise<Stat[]> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything; what follows it is numbers from field 3 on.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return [{ pid: Number(pid), parent: field(4), ticks: field(14) + field(15), ticksOfEnded: field(16) + field(17) }];
  } catch {
    // It ended between the listing and the reading.
    return [];
  }
}

/** The most memory that the process held since it began, or since that was last forgotten, in megabytes. */
export async function peakMb(pid: number): Promise<number> {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(peak?.[1] ?? 0) / 1000);
}

/** Counts the most memory of the process anew from what it holds now. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');
