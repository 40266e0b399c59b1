import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abortScope } from '../retry/abort-scope.ts';
import { writeQuestion } from './child-messages.ts';
import type { Conversion, ConversionRequest } from './convert/conversion.ts';
import { parseConversion } from './parse-conversion.ts';
import { readableCode } from './readable-code.ts';

export interface ChildLimits {
  timeoutMs: number;
  heapMb: number;
  residentMb: number;
}

const usualLimits: ChildLimits = { timeoutMs: 5_000, heapMb: 128, residentMb: 192 };
/** Every character may need six when it is escaped. */
const longestAnswer = 4 * 1024 * 1024;
const watchMs = 50;

/**
 * Converts a document in a process of its own, which is killed when it takes too long or grows too large: the file comes
 * from a stranger. Rejects only when `signal` is aborted.
 */
export async function convertInChild(
  request: ConversionRequest,
  bytes: Buffer,
  { signal, limits = usualLimits }: { signal: AbortSignal; limits?: ChildLimits },
): Promise<Conversion> {
  signal.throwIfAborted();
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-file-'));
  try {
    using scope = abortScope(signal, limits.timeoutMs);
    const ended = await runChild(writeQuestion(request, bytes), { directory, limits, signal: scope.signal });
    signal.throwIfAborted();
    if (scope.timedOut) return failed(`reading it took longer than ${limits.timeoutMs} ms`);
    if (ended.isTooLarge) return failed(`reading it needs more than ${limits.residentMb} MB of memory`);
    return parseConversion(ended.answer) ?? failed('its reader broke down, mostly because it needs too much memory');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface ChildEnd {
  answer: string;
  isTooLarge: boolean;
}

async function runChild(
  question: Buffer,
  { directory, limits, signal }: { directory: string; limits: ChildLimits; signal: AbortSignal },
): Promise<ChildEnd> {
  const child = spawn(process.execPath, childArguments(limits), {
    cwd: directory,
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const watch = watchMemory(child, limits.residentMb);
  try {
    const closed = closing(child);
    const answer = collect(child, kill);
    // A child that dies early does not read its question to the end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(question);
    await closed;
    return { answer: answer(), isTooLarge: watch.isTooLarge };
  } finally {
    watch.stop();
    signal.removeEventListener('abort', kill);
  }
}

// The file beside this one, whether that runs as TypeScript or built.
const entry = fileURLToPath(new URL(`./convert-child${extname(import.meta.url)}`, import.meta.url));

/** The child may read its own code; it may write, start and load nothing. */
function childArguments({ heapMb }: ChildLimits): string[] {
  return [
    '--permission',
    ...readableCode(dirname(entry)).map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMb}`,
    '--disallow-code-generation-from-strings',
    entry,
  ];
}

function closing(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

function collect(child: ChildProcess, kill: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > longestAnswer) kill();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Kills the child when it outgrows the limit. Where there is no `/proc` only its heap is bounded. */
function watchMemory(child: ChildProcess, residentMb: number): { readonly isTooLarge: boolean; stop: () => void } {
  let isTooLarge = false;
  const timer = setInterval(() => {
    void residentMegabytes(child.pid).then((megabytes) => {
      if (megabytes <= residentMb) return;
      isTooLarge = true;
      child.kill('SIGKILL');
    });
  }, watchMs);
  return {
    get isTooLarge() {
      return isTooLarge;
    },
    stop: () => clearInterval(timer),
  };
}

async function residentMegabytes(pid: number | undefined): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    // It has ended, or this system has no such files.
    return 0;
  }
}

const failed = (message: string): Conversion => ({ ok: false, code: 'too_large', message });
