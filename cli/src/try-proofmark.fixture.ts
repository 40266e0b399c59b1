import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../tests/stack/environment.ts';
import { readCliEnvironment } from './arguments/environment.ts';
import { runCommandLine } from './commands/run-command-line.ts';

const command = fileURLToPath(new URL('../bin/proofmark.mjs', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** A copy of a fixture project in a folder of its own, which disappears with its owner. */
export interface ProjectCopy extends AsyncDisposable {
  folder: string;
}

/** Copies `cli/fixtures/<name>`; without a name the folder is empty. For tests. */
export async function copyProject(name?: string): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-cli-'));
  if (name !== undefined) await cp(join(fixtures, name), folder, { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

interface EndedCommand {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A real process of the command in a folder, with nothing in its environment that changes what it prints. */
export function startProofmark(folder: string, args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ended: collect(child) };
}

export async function proofmark(folder: string, ...args: string[]): Promise<EndedCommand> {
  return await startProofmark(folder, args).ended;
}

async function collect(child: ChildProcess): Promise<EndedCommand> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** The same without a process of its own, which takes most of the time of one: for the many small questions. */
export async function commandIn(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<EndedCommand> {
  const told = readCliEnvironment(environment);
  if (!told.ok) throw new Error(told.problems.join('\n'));
  const written: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const code = await runCommandLine(args, {
    cwd: folder,
    terminal: {
      write: (text) => void written.stdout.push(text),
      writeError: (text) => void written.stderr.push(text),
      writeCommands: (text) => void written.stdout.push(text),
      isInteractive: false,
      hasColor: false,
      columns: 80,
      isScreen: false,
    },
    environment: told.environment,
    signal: new AbortController().signal,
    version: '0.1.0',
  });
  return { code, stdout: written.stdout.join(''), stderr: written.stderr.join('') };
}

/** The same in a copy of a fixture of its own. */
export async function inProcess(
  fixture: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<EndedCommand> {
  await using project = await copyProject(fixture);
  return await commandIn(project.folder, args, environment);
}
