import { once } from 'node:events';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Runs this script once more in a process with these variables, and answers with its exit code. Whether Node goes through a
 * proxy is settled when it starts.
 */
export async function runThroughProxy(env: Variables): Promise<number> {
  const starting = startAgain(env);
  // Listened to from now on: a signal that comes before the process is there is for it too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Windows tells every process of the console by itself, and to send one a signal there ends it at once.
      if (process.platform !== 'win32') void starting.then((child) => child.kill(signal));
    });
  }
  const [code] = await once(await starting, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function startAgain(env: Variables) {
  // Loaded only here: on most machines nothing is started again.
  const { spawn } = await import('node:child_process');
  return spawn(process.execPath, process.argv.slice(1), { env: { ...env }, stdio: 'inherit' });
}
