import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnvironment } from './environment.ts';
import { repositoryRoot } from './processes.ts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  ended: Promise<CliResult>;
  /** Ctrl-C. */
  interrupt: () => void;
}

export type CliOptions = { folder: string; env?: Record<string, string>; onError?: (text: string) => void };

/** The real `proofmark` command as a process of its own. */
export function startCli(args: readonly string[], { folder, env = {}, onError }: CliOptions): RunningCli {
  const child = spawn(process.execPath, [join(repositoryRoot, 'cli/bin/proofmark.mjs'), ...args], {
    cwd: folder,
    env: { ...inheritedEnvironment(), PROOFMARK_POLL_MS: '20', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => onError?.(chunk.toString()));
  return { ended: collect(child), interrupt: () => void child.kill('SIGINT') };
}

export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return await startCli(args, options).ended;
}

async function collect(child: ChildProcess): Promise<CliResult> {
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, ...written };
}
