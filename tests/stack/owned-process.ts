import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';

type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A process that ends with us, however we end: by `stop`, by an uncaught error, or by kill -9. */
export type OwnedProcess = {
  pid: number;
  /** Watches us and ends the process when we die; undefined on Windows. */
  guardianPid: number | undefined;
  /** The last 64 KB of what it wrote. */
  log: () => string;
  /** Resolves when it is gone, for whatever reason. */
  exited: Promise<Exit>;
  /** Whether it wrote this text: false when it ended without. Rejects when neither happens in time. */
  wrote: (text: string, timeoutMs?: number) => Promise<boolean>;
  signal: (signal: NodeJS.Signals) => void;
  /** Sends the signal, and SIGKILL when the process is still there after the grace. */
  stop: (options?: { signal?: NodeJS.Signals; graceMs?: number }) => Promise<Exit>;
};

type SpawnOptions = {
  cwd?: string;
  env?: Record<string, string>;
  /** Runs as this user and group; only root can. */
  user?: { uid: number; gid: number };
  /** How it is asked to end when we end without having stopped it. */
  lastSignal?: NodeJS.Signals;
  /** Removed after such an end. */
  directory?: string;
  onLine?: (line: string) => void;
};

const keptLogChars = 65_536;
const living = new Map<ChildProcess, NodeJS.Signals>();

/** Starts a process and ties its life to ours. Rejects when it cannot be started at all. */
export async function spawnOwned(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<OwnedProcess> {
  const { cwd, env, user, lastSignal = 'SIGKILL', directory, onLine } = options;
  // A group of its own: Ctrl-C in the terminal is for us, who stop everything in order.
  const detached = process.platform !== 'win32';
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd, env, detached, ...user });
  const written = new EventEmitter();
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log = `${log}${line}\n`.slice(-keptLogChars);
      onLine?.(line);
      written.emit('line');
    });
  }
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () =>
      child.pid === undefined ? reject(new Error(`${command} has no pid`)) : resolve(child.pid),
    );
  });
  if (living.size === 0) process.once('exit', endTheLiving);
  living.set(child, lastSignal);
  const guardian = startGuardian(pid, lastSignal, directory);

  const exited = new Promise<Exit>((resolve) => {
    // 'close' and not 'exit': the log is complete then.
    child.once('close', (code, signal) => {
      living.delete(child);
      if (living.size === 0) process.off('exit', endTheLiving);
      guardian?.dismiss();
      resolve({ code, signal });
    });
  });

  return {
    pid,
    guardianPid: guardian?.pid,
    log: () => log,
    exited,
    wrote: async (text, timeoutMs = 60_000) => {
      const signal = AbortSignal.timeout(timeoutMs);
      while (!log.includes(text)) {
        const exit = await Promise.race([exited, once(written, 'line', { signal })]);
        if (!Array.isArray(exit)) return log.includes(text);
      }
      return true;
    },
    signal: (signal) => void child.kill(signal),
    stop: async ({ signal = 'SIGTERM', graceMs = 5_000 } = {}) => {
      child.kill(signal);
      const deadline = setTimeout(() => child.kill('SIGKILL'), graceMs);
      const exit = await exited;
      clearTimeout(deadline);
      return exit;
    },
  };
}

function endTheLiving(): void {
  for (const [child, signal] of living) child.kill(signal);
}

// Our end of the pipe closes when we die, even by kill -9; then the guardian ends the process and removes its directory.
const guardianScript = `
read -r word && exit 0
kill -"$2" "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -KILL "$1" 2>/dev/null
[ -z "$3" ] || rm -rf "$3"
`;

function startGuardian(
  pid: number,
  signal: NodeJS.Signals,
  directory = '',
): { pid: number | undefined; dismiss: () => void } | undefined {
  if (process.platform === 'win32') return undefined;
  const args = ['-c', guardianScript, 'proofmark-guardian', String(pid), signal.replace('SIG', ''), directory];
  // A session of its own: Ctrl-C in the terminal must not end the guardian before its work.
  const guardian = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  guardian.on('error', () => undefined);
  guardian.stdin.on('error', () => undefined);
  guardian.unref();
  return { pid: guardian.pid, dismiss: () => void guardian.stdin.end('done\n') };
}
