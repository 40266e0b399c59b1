import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { addDotEnv, type CliEnvironment, type DotEnv, readCliEnvironment } from './arguments/environment.ts';
import { exitCodes } from './arguments/exit-code.ts';
import { runCommandLine } from './commands/run-command-line.ts';
import { openTerminal, plain } from './output/terminal.ts';

const dotEnv = addDotEnv(process.cwd());
const told = readCliEnvironment();
if (told.ok) await main(told.environment);
else process.exitCode = complain(told.problems);

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

async function main(environment: CliEnvironment): Promise<void> {
  const terminal = openTerminal(environment);
  terminal.writeError(tellDotEnv(dotEnv, process.argv[2]));

  // `proofmark list | head` closes the pipe: that is not an error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCodes.fine : 1),
  );

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
    const context = { cwd: process.cwd(), terminal, environment, signal: interruption.signal, version };
    process.exitCode = await runCommandLine(process.argv.slice(2), context);
  } catch (error) {
    // A folder that cannot be written or read is the user's to repair; anything else is a fault of ours, with its trace.
    const isFileError = error instanceof Error && 'syscall' in error && 'path' in error;
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.writeError(
      isFileError ? `proofmark: ${plain(error.message)}\n` : `proofmark failed, which it should not: ${trace}\n`,
    );
    process.exitCode = isFileError ? exitCodes.wrongUsage : exitCodes.notJudged;
  }
}
