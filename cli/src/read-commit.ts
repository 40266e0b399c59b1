import { spawnSync } from 'node:child_process';

/** The commit that is checked out; empty outside of a repository, or without git. */
export function readCommit(folder: string): Record<'commit', string> | Record<string, never> {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? { commit: stdout.trim() } : {};
}
