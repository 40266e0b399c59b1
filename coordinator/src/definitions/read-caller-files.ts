import type { LoadedWithAgents } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { parseThreads, type SentFiles } from './parse-threads.ts';

/** One pool for the process: it bounds what all callers together may cost. */
const threads = parseThreads();

export type CallerFiles = { ok: true; loaded: LoadedWithAgents } | { ok: false; problems: Problem[] };

/** The definitions that a caller sent, read where they cannot harm others; refused as a whole when they cost too much. */
export async function readCallerFiles({
  files,
  suitePaths,
  projectPath,
  agentPaths = [],
}: SentFiles): Promise<CallerFiles> {
  const parsed = await threads.ask({
    ask: 'sent',
    // Only what is read crosses to the thread.
    files: files.map(({ path, text }) => ({ path, text })),
    suitePaths,
    projectPath,
    agentPaths,
  });
  if (parsed.ok) return { ok: true, loaded: parsed.answer };
  const problem: Problem = {
    ...{ severity: 'error', code: 'limit', file: '', line: 1, column: 1, path: 'files' },
    message: parsed.message,
    hint: 'Split the definitions into several runs.',
  };
  return { ok: false, problems: [problem] };
}
