import { vi } from 'vitest';
import { commandIn } from '../../cli/src/try-proofmark.fixture.ts';
import type { CliOptions, CliResult } from './run-cli.ts';

/**
 * The command in this process, one at a time: it borrows the environment. A process of its own takes most of its time to
 * start; a test needs one for signals, for what a shell sees, and where two commands go on at once.
 */
export async function typeCli(args: readonly string[], { folder, env = {} }: CliOptions): Promise<CliResult> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await commandIn(folder, args, { PROOFMARK_POLL_MS: '20', ...env });
  } finally {
    vi.unstubAllEnvs();
  }
}
