import { once } from 'node:events';

/**
 * Runs this script once more in a process with these variables, and answers with its exit code. Whether Node goes through a
 * proxy is settled when it starts.
 */
export async function runThroughProxy(env: Readonly<Record<string, string | undefined>>): Promise<number> {
  // Loaded only here: on most machines nothing is started again.
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, process.argv.slice(1), { env: { ...env }, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}
