import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { addDotEnv, type CliEnvironment, type DotEnv, readCliEnvironment } from './arguments/environment.ts';
import { endOfThrown, exitCodes } from './arguments/exit-code.ts';
import { runCommandLine } from './commands/run-command-line.ts';
import { openTerminal, plain, type Terminal } from './output/terminal.ts';

const cwd = currentFolder();
const dotEnv = cwd === undefined ? { taken: [], left: [] } : addDotEnv(cwd);
const told = readCliEnvironment();
if (cwd === undefined) process.exitCode = complain(['this folder is not there any more: change to another one']);
else if (told.ok) await main(told.environment, cwd);
else process.exitCode = complain(told.problems);

/** Undefined where it was removed meanwhile. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function complain(problems: readonly string[]): number {
  process.stderr.write(problems.map((problem) => `proofmark: ${plain(problem)}\n`).join(''));
  return exitCodes.wrongUsage;
}

/** Which names came from `.env`, and which did not: never a value, and nothing where a command uses no key. */
function tellDotEnv({ taken, left }: DotEnv, command = ''): string {
  if (!['run', 'watch', 'rescore', 'ab', 'replay', 'calibrate'].includes(command)) return '';
  const lines = [
    ...(taken.length === 0 ? [] : [`.env: ${taken.join(', ')}`]),
    ...left.map((reason) => `.env: not taken: ${reason}`),
  ];
  return lines.map((line) => `${plain(line)}\n`).join('');
}

/**
 * Whoever reads may stop at any time, as in `proofmark run | head`: the command goes on all the same, because files and the exit
 * code are still to come. An answer that a full disk swallows is told, and is none.
 */
function watchOutput({ writeError }: Terminal): void {
  let isTold = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') {
      // It ends by being stopped, and by nothing else.
      if (process.argv[2] === 'watch') process.exit(exitCodes.fine);
    } else if (!isTold) {
      isTold = true;
      writeError(`proofmark: the answer cannot be written: ${plain(error.message)}\n`);
      process.once('exit', (code) => {
        if (code === exitCodes.fine) process.exitCode = exitCodes.notJudged;
      });
    }
  });
  process.stderr.on('error', () => undefined);
}

async function main(environment: CliEnvironment, folder: string): Promise<void> {
  const terminal = openTerminal(environment);
  terminal.writeError(tellDotEnv(dotEnv, process.argv[2]));

  watchOutput(terminal);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The first one ends the run and still writes what there is; a second one does not wait for that.
      if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
      interruption.abort();
    });
  }

  const packageFile = new URL('../package.json', import.meta.url);
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));

  try {
    const context = { cwd: folder, terminal, environment, signal: interruption.signal, version };
    process.exitCode = await runCommandLine(process.argv.slice(2), context);
  } catch (error) {
    const { code, words } = endOfThrown(error);
    terminal.writeError(words);
    process.exitCode = code;
  }
}
