import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from '@proofmark/contracts/content-hash';
import { maskKeys, maskKnownKeys, writtenForms } from '../models/mask-keys.ts';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentProgram, Program } from './agent-reach.ts';
import { type ProgramOptions, passedOn, startProgram } from './start-program.ts';

// The file beside this one, whether that runs as TypeScript or built.
const host = fileURLToPath(new URL(`./code-host${extname(import.meta.url)}`, import.meta.url));
const heapMb = 512;
/** Processes of one program at once; whoever comes later waits for one of them. */
const mostAtOnce = 4;
const idleMs = 30_000;

/** The command line of a program; a file of JavaScript or TypeScript runs in a process of the Node that runs us. */
export function programCommand(program: Program, { directory }: ProgramOptions): CallResult<readonly string[]> {
  if ('command' in program) return { ok: true, value: program.command };
  const { module: path, as, export: name = 'default', sha256 } = program;
  const file = join(directory, path);
  const problem = sha256 === undefined ? undefined : differs(file, sha256);
  if (problem !== undefined) return { ok: false, failure: finalFailure('agent', `${path} ${problem}`) };
  const flags = ['--no-warnings', `--max-old-space-size=${heapMb}`];
  return { ok: true, value: [process.execPath, ...flags, host, as, file, name] };
}

function differs(file: string, sha256: string): string | undefined {
  try {
    if (contentHash(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) === sha256) return undefined;
    return 'is not the same here as in the definitions of the run';
  } catch {
    return 'is not there: code of the repository runs only where the repository is';
  }
}

/** The program with everything that its environment holds taken out of what it says. */
export function startMasked(command: readonly string[], options: ProgramOptions): AgentProgram {
  const program = startProgram(command, options);
  const secrets = passedOn(options).flatMap((name) => writtenForms(options.environment[name] ?? ''));
  if (secrets.length === 0) return program;
  return {
    ...program,
    async exchange(message, signal) {
      const answered = await program.exchange(message, signal);
      if (!answered.ok)
        return { ok: false, failure: { ...answered.failure, message: maskKeys(answered.failure.message, secrets) } };
      return { ok: true, value: JSON.parse(maskKnownKeys(JSON.stringify(answered.value), secrets)) };
    },
  };
}

interface Kept {
  idle: { program: AgentProgram; timer: NodeJS.Timeout }[];
  running: number;
  waiting: (() => void)[];
}

/** Programs that answer one question after another, kept for the next test run: starting one costs more than most answers. */
export class ProgramPool implements AsyncDisposable {
  readonly #options: ProgramOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** The answer to one question. A program that failed is ended, and the next question starts another. */
  async ask(program: Program, message: unknown, signal: AbortSignal): Promise<CallResult<unknown>> {
    const command = programCommand(program, this.#options);
    if (!command.ok) return command;
    const kept = this.#keptOf(JSON.stringify(command.value));
    await this.#turn(kept, signal);
    const known = kept.idle.pop();
    clearTimeout(known?.timer);
    const running = known?.program ?? startMasked(command.value, this.#options);
    let isWhole = false;
    try {
      const answered = await running.exchange(message, signal);
      isWhole = answered.ok;
      return answered;
    } finally {
      if (isWhole) this.#rest(kept, running);
      kept.running -= 1;
      kept.waiting.shift()?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const idle = [...this.#kept.values()].flatMap((kept) => kept.idle.splice(0));
    for (const { timer } of idle) clearTimeout(timer);
    await Promise.all(idle.map(({ program }) => program.stop()));
  }

  #keptOf(id: string): Kept {
    const kept = this.#kept.get(id) ?? { idle: [], running: 0, waiting: [] };
    this.#kept.set(id, kept);
    return kept;
  }

  async #turn(kept: Kept, signal: AbortSignal): Promise<void> {
    while (kept.running >= mostAtOnce) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      kept.waiting.push(resolve);
      try {
        signal.throwIfAborted();
        await promise;
      } catch (error) {
        kept.waiting.splice(kept.waiting.indexOf(resolve) >>> 0, 1);
        throw error;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }
    kept.running += 1;
  }

  #rest(kept: Kept, program: AgentProgram): void {
    const timer = setTimeout(() => {
      kept.idle = kept.idle.filter((one) => one.program !== program);
      void program.stop();
    }, idleMs).unref();
    kept.idle.push({ program, timer });
  }
}
