import { once } from 'node:events';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { LoadedWithAgents, LoadResult } from '@proofmark/contracts/loaded';
import type { AffectedOptions, WatchedSuite } from '@proofmark/domain/affected-suites';
import { startBoundedThread } from '@proofmark/process/bounded-thread';

export interface SentFiles {
  files: readonly { path: string; text: string }[];
  suitePaths: readonly string[];
  projectPath: string | null;
  /** Agents that are wanted for themselves. */
  agentPaths?: readonly string[];
}

/** Texts of files of a commit that were read so far. */
export interface CommittedTexts extends SentFiles {
  /** Other files of the commit that a pattern may fit. */
  present: readonly string[];
  /** What cannot be read, whoever asks for it. */
  absent: readonly string[];
}

/** Files that the definitions ask for and that nobody has read yet; the definitions where there are none. */
export type ReadSoFar = { missing: string[]; loaded: null } | { missing: []; loaded: LoadResult };

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
  /** For so long a thread that has read much waits for more; one that has not is kept for ever. */
  keptMs: number;
}

export const usualLimits: ParseLimits = {
  cpuMs: 2_000,
  cpuMsPerFile: 3,
  cpuMsPerKb: 3,
  heapMb: 128,
  threads: 2,
  keptMs: 30_000,
};

/** What a thread is asked about text of others. */
export type ThreadQuestion =
  | ({ ask: 'sent' } & SentFiles)
  | ({ ask: 'committed' } & CommittedTexts)
  | { ask: 'matching'; paths: readonly string[]; patterns: readonly string[] }
  | ({ ask: 'affected'; suites: readonly WatchedSuite[] } & AffectedOptions);

export interface Answers {
  sent: LoadedWithAgents;
  committed: ReadSoFar | 'too large';
  /** The paths that fit one of the patterns. */
  matching: string[];
  /** Of each suite, whether the change can affect it. */
  affected: boolean[];
}

type Answered<Answer> = { ok: true; answer: Answer } | { ok: false; message: string };

type ThreadQuestionOf<Ask> = Extract<ThreadQuestion, { ask: Ask }>;

export interface ParseThreads {
  ask: <Ask extends ThreadQuestion['ask']>(question: ThreadQuestionOf<Ask>) => Promise<Answered<Answers[Ask]>>;
}

/** A thread that has read more than this is not kept for ever: it would hold the memory that it took. */
const mostKilobytesKept = 250;
/**
 * One that has read more than this, some 28,000 cases, is not kept at all: while the run of 50,000 is planned and stored, it would
 * hold 100 MB. The next one compiles everything anew, which is little beside so many.
 */
const mostKilobytesReused = 4_000;

/** A thread that waits for a question. */
interface IdleThread {
  worker: Worker;
  /** Ends it, when it has read much; a new one would compile everything anew, which takes as long as 5,000 cases do. */
  ending: NodeJS.Timeout | undefined;
}

/** Threads that read what callers and strangers wrote. They start when they are needed and never keep the process alive. */
export function parseThreads(limits: ParseLimits = usualLimits): ParseThreads {
  const idle: IdleThread[] = [];
  const large = new WeakSet<Worker>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const take = (): Worker | undefined => {
    const thread = idle.pop();
    clearTimeout(thread?.ending);
    return thread?.worker;
  };

  const keep = (worker: Worker): void => {
    const thread: IdleThread = { worker, ending: undefined };
    idle.push(thread);
    if (!large.has(worker)) return;
    thread.ending = setTimeout(() => {
      idle.splice(idle.indexOf(thread), 1);
      void worker.terminate();
    }, limits.keptMs).unref();
  };

  const ask = async <Ask extends ThreadQuestion['ask']>(
    question: ThreadQuestionOf<Ask>,
  ): Promise<Answered<Answers[Ask]>> => {
    // The one that ends gives its place to the next that waits.
    if (running >= limits.threads) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      const worker = take() ?? (await startWorker(limits));
      if (isLarge(question)) large.add(worker);
      worker.ref();
      const answered = await askOn<Answers[Ask]>(worker, question, limits).catch(async (fault: unknown) => {
        await worker.terminate();
        throw fault;
      });
      worker.unref();
      if (answered.ok && isReused(question)) keep(worker);
      else await worker.terminate();
      return answered;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return { ask };
}

/**
 * Nearly all that is read stays until it is handed over: as much room for what dies young as the process has would hold 27 MB more
 * for 10,000 cases, and take no less time.
 */
const youngMb = 8;

async function startWorker({ heapMb }: ParseLimits): Promise<Worker> {
  // The file beside this one, whether that runs as TypeScript or built.
  const file = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb };
  const worker = startBoundedThread(file, { env: {}, name: 'parse', resourceLimits });
  await once(worker, 'message');
  return worker;
}

/** Whether reading it takes memory that is worth being given back at once. */
export const isLarge = (question: ThreadQuestion): boolean => kilobytesOf(question) > mostKilobytesKept;

/** Whether the thread that read it reads more; else it ends at once. */
export const isReused = (question: ThreadQuestion): boolean => kilobytesOf(question) <= mostKilobytesReused;

const kilobytesOf = (question: ThreadQuestion): number =>
  'files' in question ? question.files.reduce((sum, { text }) => sum + text.length, 0) / 1000 : 0;

/** The answer, or what it costs too much of. A fault of the parser itself is thrown. */
async function askOn<Answer>(worker: Worker, question: ThreadQuestion, limits: ParseLimits): Promise<Answered<Answer>> {
  const files = 'files' in question ? question.files.length : 0;
  const mostMs = Math.round(limits.cpuMs + limits.cpuMsPerFile * files + limits.cpuMsPerKb * kilobytesOf(question));
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
    const onMessage = (answer: Answer): void => settle(() => resolve({ ok: true, answer }));
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(`the files take more than ${limits.heapMb} MB to read`);
      else settle(() => reject(error));
    };
    worker.on('message', onMessage).on('error', onError);
    worker.postMessage(question);
  });
}
