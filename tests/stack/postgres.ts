import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment, inheritedEnvironment } from './environment.ts';
import { freePort } from './free-port.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';
import { findPostgres, openToAll } from './postgres-binaries.ts';
import { makeScratchDirectory, noteServer } from './scratch-directory.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const portTries = 5;
/** Postgres refuses to run as root; `nobody` has this id and a passwd entry everywhere. */
const nobody = { uid: 65_534, gid: 65_534 };

// Sorts by code point but knows the upper and lower case of every script, without the locales of the machine. Before 17 those
// have to have it.
const builtIn = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
const ofMachine = ['--locale=C.UTF-8'];

export type Postgres = AsyncDisposable & {
  /** A superuser on the database `postgres`. */
  url: string;
  /** Undefined for one that was given by DATABASE_URL. */
  server: OwnedProcess | undefined;
  stop: () => Promise<void>;
};

/** A server that we started and may therefore treat badly. */
export type OwnPostgres = Postgres & {
  /** Ends the server and all its sessions without a word, as the kernel does when memory is short. */
  kill: () => Promise<void>;
  /** Starts it again on the same data and the same port, after `kill`. It recovers what was committed. */
  restart: () => Promise<void>;
};

type StartOptions = {
  /** Gives up durability for speed: for tests, never for benchmarks or crash tests. */
  fast?: boolean;
};

/** A running Postgres: the one of DATABASE_URL, else a new one of our own that ends with this process. */
export async function startPostgres(options: StartOptions = {}): Promise<Postgres> {
  return environment.DATABASE_URL === undefined
    ? startOwnPostgres(options)
    : externalPostgres(environment.DATABASE_URL);
}

/** A Postgres that somebody else runs: stopping it does nothing. */
export function externalPostgres(url: string): Postgres {
  const stop = async () => undefined;
  return { url, server: undefined, stop, [Symbol.asyncDispose]: stop };
}

/** A new Postgres in a directory of its own, whatever the environment says. */
export async function startOwnPostgres({ fast = false }: StartOptions = {}): Promise<OwnPostgres> {
  const directory = await makeScratchDirectory('postgres');
  try {
    const launch = await prepareIn(directory, fast);
    let { port, server } = await startOnFreePort(launch);
    const stop = async () => {
      // SIGINT ends sessions and shuts down cleanly; SIGTERM would wait for clients.
      await server.stop({ signal: 'SIGINT', graceMs: 10_000 });
      await rm(directory, { recursive: true, force: true });
    };
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      get server() {
        return server;
      },
      stop,
      kill: async () => void (await server.stop({ signal: 'SIGKILL' })),
      restart: async () => {
        // Sessions notice within moments that their server is dead; until then they hold its memory.
        server = await waitUntil(async () => await launch(port), { what: 'Postgres is back' });
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

type Launch = (port: number) => Promise<OwnedProcess>;

async function prepareIn(directory: string, fast: boolean): Promise<Launch> {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? nobody : undefined;
  const found = await findPostgres();
  const { initdb, postgres } = isRoot ? await openToAll(found, directory) : found;
  const data = join(directory, 'data');
  await mkdir(data, { mode: 0o700 });
  if (isRoot) {
    await chmod(directory, 0o755);
    await chown(data, nobody.uid, nobody.gid);
  }
  const env = { ...inheritedEnvironment(), LC_ALL: 'C' };
  const { stdout: version } = await run(postgres, ['--version'], { ...user, env, cwd: directory });
  const locale = Number(/ (\d+)/.exec(version)?.[1]) < 17 ? ofMachine : builtIn;
  const initArgs = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', ...locale, '--no-sync'];
  await run(initdb, initArgs, { ...user, env, cwd: directory });

  return async (port) => {
    const args = postgresArgs({ data, port, fast });
    const server = await spawnOwned(postgres, args, {
      cwd: directory,
      env,
      lastSignal: 'SIGQUIT',
      directory,
      ...(user === undefined ? {} : { user }),
    });
    await noteServer(directory, server.pid);
    if (await server.wrote('ready to accept connections')) return server;
    throw new Error(`Postgres ended before it was ready:\n${server.log()}`);
  };
}

async function startOnFreePort(launch: Launch): Promise<{ port: number; server: OwnedProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, server: await launch(port) };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!isTaken || attempt === portTries) throw error;
    }
  }
}

function postgresArgs({ data, port, fast }: { data: string; port: number; fast: boolean }): string[] {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=400'];
  if (fast) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  return ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}
