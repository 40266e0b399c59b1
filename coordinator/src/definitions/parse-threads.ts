import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LoadResult } from '@proofmark/contracts/load-definitions';
import type { SentFiles } from './parse-files.ts';

export interface ParseLimits {
  /** Processor time, not time on the clock: a busy machine must not make good files look hostile. */
  cpuMs: number;
  /** For more than a handful of files: each may take this much longer. */
  cpuMsPerFile: number;
  /** For large ones: about three times what ordinary definitions need. */
  cpuMsPerKb: number;
  heapMb: number;
  /** How many requests are read at the same time; others wait. */
  threads: number;
}

export const usualLimits: ParseLimits = { cpuMs: 2_000, cpuMsPerFile: 3, cpuMsPerKb: 3, heapMb: 128, threads: 2 };

type ParsedFiles = { ok: true; loaded: LoadResult } | { ok: false; message: string };

export interface ParseThreads {
  parse: (files: SentFiles) => Promise<ParsedFiles>;
}

/** Threads that read the definitions of callers. They start when they are needed and never keep the process alive. */
export function parseThreads(limits: ParseLimits = usualLimits): ParseThreads {
  const idle: Worker[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;

  const parse = async (files: SentFiles): Promise<ParsedFiles> => {
    // Whoever waits is handed the place of the one that ends.
    if (running >= limits.threads) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      const worker = idle.pop() ?? (await startWorker(limits));
      worker.ref();
      const parsed = await parseOn(worker, files, limits).catch(async (fault: unknown) => {
        await worker.terminate();
        throw fault;
      });
      worker.unref();
      if (parsed.ok) idle.push(worker);
      else await worker.terminate();
      return parsed;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return { parse };
}

async function startWorker({ heapMb }: ParseLimits): Promise<Worker> {
  // The file beside this one, whether that runs as TypeScript or built.
  const file = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { env: {}, name: 'parse', resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  await once(worker, 'message');
  return worker;
}

/** What the files are, or what they cost too much of. A fault of the parser itself is thrown. */
async function parseOn(worker: Worker, files: SentFiles, limits: ParseLimits): Promise<ParsedFiles> {
  const kilobytes = files.files.reduce((sum, { text }) => sum + text.length, 0) / 1000;
  const mostMs = Math.round(limits.cpuMs + limits.cpuMsPerFile * files.files.length + limits.cpuMsPerKb * kilobytes);
  const atStart = await worker.cpuUsage();
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (answer: () => void): void => {
      // The watch may answer late, when the thread already reads something else.
      if (isSettled) return;
      isSettled = true;
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError);
      answer();
    };
    const refuse = (message: string): void => settle(() => resolve({ ok: false, message }));
    const measure = async (): Promise<void> => {
      const { user, system } = await worker.cpuUsage(atStart).catch(() => ({ user: 0, system: 0 }));
      if ((user + system) / 1000 > mostMs) refuse(`the files take more than ${mostMs} ms to read`);
    };
    const watch = setInterval(() => void measure(), 100);
    const onMessage = (loaded: LoadResult): void => settle(() => resolve({ ok: true, loaded }));
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(`the files take more than ${limits.heapMb} MB to read`);
      else settle(() => reject(error));
    };
    worker.on('message', onMessage).on('error', onError);
    worker.postMessage(files);
  });
}
