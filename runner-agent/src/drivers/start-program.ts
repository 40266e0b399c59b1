import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '@proofmark/contracts/parse-json';
import { linesOf } from '@proofmark/process/lines-of';
import { pauseOrStop } from '@proofmark/process/pause';
import { isTooDeep } from '../models/json-depth.ts';
import type { CallResult } from '../models/model-port.ts';
import { RefusedAnswer } from '../models/refused-answer.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentProgram } from './agent-reach.ts';

const largestLine = 8 * 1024 * 1024;
const tooLarge = () => new RefusedAnswer('too_large', 'response too large: more than 8 MB');
const keptStderr = 64 * 1024;
const shownStderr = 500;
/** Of a program that has ended its last words are waited for so long: what it has started may hold the line open. */
const lastWordsMs = 500;
/** All that a program gets of our environment: no key, no token. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'SYSTEMROOT'];

/** What whoever runs the cases gives to programs beside that: names in PROOFMARK_PROGRAM_ENVS. */
export const passedOn = ({ environment }: Pick<ProgramOptions, 'environment'>): string[] =>
  (environment.PROOFMARK_PROGRAM_ENVS ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && environment[name] !== undefined);

export interface ProgramOptions {
  directory: string;
  /** Whose allow-listed part the program gets. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Runs as this user and group, who can read nothing of ours; only root can give away a program so. Absent: as we do. */
  userId?: number;
  /** How long it may take to end after SIGTERM; absent: 5 s. */
  graceMs?: number;
}

/**
 * A program in a process group and with a temporary directory of its own, started at its first message. After a failed
 * try it is ended, because a late line would be taken for the answer to the next message; a new one then starts only
 * while nothing of the conversation is lost by that.
 */
export function startProgram(command: readonly string[], options: ProgramOptions): AgentProgram {
  let running: Promise<CallResult<Running>> | undefined;
  let hasAnswered = false;
  const stop = async (): Promise<void> => {
    // What kept it from starting was told to whoever asked it.
    const ending = await running?.catch(() => undefined);
    running = undefined;
    if (ending?.ok) await end(ending.value, options.graceMs ?? 5_000);
  };
  return {
    async exchange(message, signal) {
      if (!running && hasAnswered)
        return failed("The agent's program was ended after a failed try, and its memory with it");
      running ??= launch(command, options);
      const launched = await running;
      if (!launched.ok) return launched;
      let isWhole = false;
      try {
        const answer = await talk(launched.value, message, signal);
        isWhole = answer.ok;
        hasAnswered ||= isWhole;
        return answer;
      } finally {
        if (!isWhole) await stop();
      }
    },
    stop,
  };
}

interface Running {
  child: ChildProcess;
  temporary: string;
  /** The group that nobody but it and what it has started is in; absent: it has none of its own. */
  group: number | undefined;
  lines: AsyncIterator<string>;
  /** What it has written there up to its end. */
  lastWords: () => Promise<string>;
  exited: Promise<void>;
}

async function launch([file = '', ...args]: readonly string[], options: ProgramOptions): Promise<CallResult<Running>> {
  const temporary = await mkdtemp(join(tmpdir(), 'proofmark-agent-'));
  const given = Object.fromEntries(
    [...inherited, ...passedOn(options)].map((name) => [name, options.environment[name]]),
  );
  const env = { ...given, TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  const { directory: cwd, userId } = options;
  const start = async (group: number | undefined): Promise<ChildProcessWithoutNullStreams> => {
    const isRoot = process.getuid?.() === 0;
    if (userId !== undefined && isRoot) await chown(temporary, userId, group ?? userId);
    const user =
      userId === undefined ? { env } : { env: { ...env, HOME: temporary }, uid: userId, gid: group ?? userId };
    const child = spawn(file, args, { cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'], ...user });
    await once(child, 'spawn');
    return child;
  };
  // Who may give a program away may give it a group as well, which it cannot leave; a container may know no such number.
  let group = userId !== undefined && process.getuid?.() === 0 ? randomInt(2 ** 30, 2 ** 31) : undefined;
  let child: ChildProcessWithoutNullStreams;
  try {
    child = await start(group).catch((error: unknown) => {
      if (group === undefined) throw error;
      group = undefined;
      return start(group);
    });
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    return failed(`The agent's program cannot be started: ${error instanceof Error ? error.message : String(error)}`);
  }
  let stderr = '';
  const said = new AbortController();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-keptStderr);
  });
  child.stderr.once('close', () => said.abort());
  // A program that ended while it was written to is noticed by its missing answer.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = linesOf(child.stdout.setEncoding('utf8'), { largest: largestLine, refusal: tooLarge });
  const lastWords = async () => {
    await pauseOrStop(lastWordsMs, said.signal);
    return stderr;
  };
  return { ok: true, value: { child, temporary, group, lines, lastWords, exited } };
}

async function talk(
  { child, lines, lastWords }: Running,
  message: unknown,
  signal: AbortSignal,
): Promise<CallResult<unknown>> {
  child.stdin?.write(`${JSON.stringify(message)}\n`);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const line = await Promise.race([lines.next(), aborted.promise]);
    if (line.done) {
      const said = await Promise.race([lastWords(), aborted.promise]);
      return failed(`The agent's program ended without an answer ${said.slice(-shownStderr)}`.trim());
    }
    return readLine(line.value);
  } catch (error) {
    if (error instanceof RefusedAnswer) return { ok: false, failure: finalFailure('limit', error.message) };
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function readLine(line: string): CallResult<unknown> {
  if (isTooDeep(line)) return failed("The agent's answer is nested too deeply");
  const value = parseJson(line);
  if (value !== undefined) return { ok: true, value };
  return failed(`The agent's program wrote a line that is not JSON: ${line.slice(0, shownStderr)}`);
}

function failed(message: string): CallResult<never> {
  return { ok: false, failure: finalFailure('agent', message) };
}

async function end({ child, temporary, group, exited }: Running, graceMs: number): Promise<void> {
  const { pid } = child;
  if (pid !== undefined) {
    // Once it has ended, nothing says any more what it had started, and its number may be somebody else's.
    const startedByIt = async () =>
      child.exitCode === null && child.signalCode === null ? await startedBelow(pid) : [];
    const below = await startedByIt();
    send(-pid, 'SIGTERM');
    const waiting = new AbortController();
    await Promise.race([exited, pauseOrStop(graceMs, waiting.signal)]);
    waiting.abort();
    below.push(...(await startedByIt()));
    send(-pid, 'SIGKILL');
    for (const one of below) if ((await startOf(one.pid)) === one.start) send(one.pid, 'SIGKILL');
  }
  await killThoseThatLeft(temporary, group);
  // What is beyond our reach may hold them open for ever.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  await rm(temporary, { recursive: true, force: true });
}

interface Started {
  pid: number;
  /** The same number may be somebody else's later; the time of its start is its own. */
  start: string;
}

/** What a process has started, and what that has: also what is in a group of its own and has emptied its environment. */
async function startedBelow(pid: number): Promise<Started[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const children = await Promise.all(threads.map((thread) => shown(`${pid}/task/${thread}/children`)));
  const pids = children.flatMap((text) =>
    text
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
  const below = await Promise.all(
    pids.map(async (child) => {
      const start = await startOf(child);
      return start === undefined ? [] : [{ pid: child, start }, ...(await startedBelow(child))];
    }),
  );
  return below.flat();
}

/** Undefined where it has ended. A name may hold anything, and the last bracket ends it. */
const startOf = async (pid: number): Promise<string | undefined> =>
  (await shown(`${pid}/stat`)).replace(/^.*\)/s, '').split(' ')[20];

/** A file of a process; those of others cannot be read, and those that have just ended are not there. */
const shown = (file: string): Promise<string> => readFile(`/proc/${file}`, 'utf8').catch(() => '');

/**
 * Whoever leaves the process group is known by the user group of the program, where it has one of its own; else by the temporary
 * folder, as long as that stands in its environment. Linux shows both.
 */
async function killThoseThatLeft(temporary: string, group: number | undefined): Promise<void> {
  // One that is starting another just now is gone by the next look, and then the other one is seen.
  for (let look = 0; look < mostLooks; look += 1) {
    const found = await pidsOf(temporary, group);
    if (found.length === 0) return;
    for (const pid of found) send(pid, 'SIGKILL');
  }
}

const mostLooks = 10;

async function pidsOf(temporary: string, group: number | undefined): Promise<number[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const isOurs =
        group === undefined
          ? (await shown(`${name}/environ`)).split('\0').includes(`TMPDIR=${temporary}`)
          : new RegExp(`^Gid:\\s+${group}\\s`, 'm').test(await shown(`${name}/status`));
      return isOurs ? Number(name) : [];
    }),
  );
  return found.flat();
}

/** To a process, or to a group by its negative number. */
function send(to: number, signal: NodeJS.Signals): void {
  try {
    process.kill(to, signal);
  } catch {
    // Nobody is left there, which is what was wanted.
  }
}
