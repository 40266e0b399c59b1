import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { inheritedEnvironment } from './environment.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';
import { waitUntil } from './wait-until.ts';

/** The root of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

type StartOptions<Ready> = {
  /** Names it in messages and before each line of the log file. */
  name: string;
  /** The script, from the root of the repository. */
  entry: string;
  args?: string[];
  /** Where it runs; absent: at the root of the repository. */
  folder?: string;
  /** Its whole configuration: of our own environment it gets only PATH, HOME and the like. */
  env?: Record<string, string>;
  /** Ready when it prints a line of JSON of this shape, or when this URL answers with 200. */
  ready: { line: z.ZodType<Ready> } | { url: string };
  timeoutMs?: number;
  /** The Node that runs it; ours unless told otherwise. */
  node?: string;
  /** Runs as this user; only root can say so. */
  user?: { uid: number; gid: number };
  /** Lines of both outputs are appended here. */
  logFile?: string;
  onLine?: (line: string) => void;
};

export type ProjectProcess<Ready> = AsyncDisposable & {
  pid: number;
  /** What the ready line said; undefined when a URL was asked. */
  ready: Ready;
  /** The last 64 KB of its outputs. */
  log: () => string;
  exited: OwnedProcess['exited'];
  /** Sends a signal and waits for the end; SIGKILL unless told otherwise. */
  kill: (signal?: NodeJS.Signals) => Promise<void>;
  /** SIGTERM, and SIGKILL after the grace. */
  stop: (graceMs?: number) => Promise<void>;
};

/** A process of the project that is ready to serve. Rejects with its log when it ends or the time is over before that. */
export async function startProcess<Ready = undefined>(options: StartOptions<Ready>): Promise<ProjectProcess<Ready>> {
  const {
    name,
    entry,
    args = [],
    folder = repositoryRoot,
    env = {},
    ready,
    timeoutMs = 180_000,
    node = process.execPath,
    user,
    logFile,
    onLine,
  } = options;
  let readyLine: { value: Ready } | undefined;
  const child = await spawnOwned(node, [resolve(repositoryRoot, entry), ...args], {
    cwd: folder,
    env: { ...inheritedEnvironment(), ...env },
    lastSignal: 'SIGKILL',
    ...(user === undefined ? {} : { user }),
    onLine: (line) => {
      if (logFile !== undefined) appendFileSync(logFile, `${name} ${line}\n`);
      if ('line' in ready) readyLine ??= matching(line, ready.line);
      onLine?.(line);
    },
  });

  const isReady = async () =>
    'line' in ready ? readyLine !== undefined : (await fetch(ready.url, { signal: AbortSignal.timeout(1_000) })).ok;
  const abandoned = new AbortController();
  const ended = child.exited.then(({ code, signal }) => {
    throw new Error(`${name} ended (${signal ?? code}) before it was ready:\n${child.log()}`);
  });
  try {
    const waiting = waitUntil(isReady, {
      what: `${name} is ready`,
      timeoutMs,
      detail: child.log,
      signal: abandoned.signal,
    });
    await Promise.race([waiting, ended]);
  } catch (error) {
    await child.stop({ signal: 'SIGKILL' });
    throw error;
  } finally {
    abandoned.abort();
  }

  const stop = async (graceMs = 5_000) => void (await child.stop({ signal: 'SIGTERM', graceMs }));
  return {
    pid: child.pid,
    ready: readyLine?.value as Ready, // undefined only after a URL, and then Ready is undefined
    log: child.log,
    exited: child.exited,
    kill: async (signal = 'SIGKILL') => void (await child.stop({ signal })),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function matching<Ready>(line: string, shape: z.ZodType<Ready>): { value: Ready } | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed = shape.safeParse(JSON.parse(line));
    return parsed.success ? { value: parsed.data } : undefined;
  } catch {
    // A log line that only looks like JSON is no ready line.
    return undefined;
  }
}
