import { execFileSync, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuMs, peakMb } from '../bare/cpu-time.ts';

const root = join(import.meta.dirname, '../..');

/** Packs the published command into a folder; the path of its program. */
export async function unpackPackage(folder: string): Promise<string> {
  const packs = join(folder, 'packs');
  execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), packs, 'proofmark'], { stdio: 'ignore' });
  const [tarball = ''] = await readdir(packs);
  execFileSync('tar', ['-xzf', join(packs, tarball), '-C', folder]);
  return join(folder, 'package/bin/proofmark.mjs');
}

/** What a command took from the start of its process to its end. */
interface Used {
  seconds: number;
  cpuMs: number;
  memoryMb: number;
}

export async function runPackage(command: string, words: readonly string[], cwd: string): Promise<Used> {
  const start = performance.now();
  const child = spawn(process.execPath, [command, ...words], { cwd, stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('The package does not start');
  let last = { cpuMs: 0, memoryMb: 0 };
  // What a process has used is told as long as it lives.
  const look = setInterval(() => {
    void Promise.all([cpuMs(pid), peakMb(pid)]).then(
      ([used, memoryMb]) => {
        // One that has just ended holds nothing any more.
        last = { cpuMs: used, memoryMb: Math.max(last.memoryMb, memoryMb) };
      },
      () => undefined,
    );
  }, 100);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(look);
  if (code !== 0) throw new Error(`proofmark ${words.join(' ')} ended with ${String(code)}`);
  return { seconds: (performance.now() - start) / 1000, ...last };
}
