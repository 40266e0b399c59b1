import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { environment, inheritedEnvironment } from './environment.ts';
import { findNatsServer } from './find-nats-server.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';
import { makeScratchDirectory, noteServer } from './scratch-directory.ts';
import { waitUntil } from './wait-until.ts';

export type Nats = AsyncDisposable & {
  url: string;
  /** Ends the server and removes what it stored, unless the caller named the store. */
  stop: () => Promise<void>;
};

/** A server that we started and may therefore treat badly. */
export type OwnNats = Nats & {
  /** The pid of the server at this moment. */
  pid: () => number;
  /** Ends the server like a power cut of the process: what it had not written is lost. */
  kill: () => Promise<void>;
  /** Starts it again on the same port with the same store, after `kill` or in place of a running one. */
  restart: () => Promise<void>;
};

type StartOptions = {
  /** Keeps the streams here instead of in a directory that `stop` removes. */
  storeDir?: string;
  /** Listens here instead of on a free port. */
  port?: number;
};

/** A running NATS server with JetStream: the one of NATS_URL, else a new one that ends with this process. */
export async function startNats(options: StartOptions = {}): Promise<Nats> {
  if (environment.NATS_URL === undefined) return startOwnNats(options);
  const stop = async () => undefined;
  return { url: environment.NATS_URL, stop, [Symbol.asyncDispose]: stop };
}

/** A new server on a port of its own, whatever the environment says: for tests that kill and restart it. */
export async function startOwnNats({ storeDir, port: wanted = -1 }: StartOptions = {}): Promise<OwnNats> {
  const binary = await findNatsServer();
  const directory = await makeScratchDirectory('nats');
  const launch = async (port: number) =>
    launchIn({ binary, directory, port, storeDir: storeDir ?? join(directory, 'js') });

  let server = await launch(wanted);
  const url = await clientUrl(directory, binary, server);
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    url,
    pid: () => server.pid,
    stop,
    kill: async () => void (await server.stop({ signal: 'SIGKILL' })),
    restart: async () => {
      await server.stop();
      server = await launch(Number(new URL(url).port));
    },
    [Symbol.asyncDispose]: stop,
  };
}

type Launch = { binary: string; directory: string; port: number; storeDir: string };

async function launchIn({ binary, directory, port, storeDir }: Launch): Promise<OwnedProcess> {
  const args = ['-js', '-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', directory, '-sd', storeDir];
  const server = await spawnOwned(binary, args, { cwd: directory, env: inheritedEnvironment(), directory });
  await noteServer(directory, server.pid);
  if (await server.wrote('Server is ready')) return server;
  throw new Error(`nats-server ended before it was ready:\n${server.log()}`);
}

const PortsFile = z.object({ nats: z.array(z.string()).min(1) });

/** The server writes its ports a moment after it says that it is ready. */
async function clientUrl(directory: string, binary: string, { pid, log }: OwnedProcess): Promise<string> {
  const path = join(directory, `${basename(binary)}_${pid}.ports`);
  const read = async () => PortsFile.parse(JSON.parse(await readFile(path, 'utf8'))).nats[0];
  return waitUntil(read, { what: 'nats-server wrote its ports', everyMs: 2, detail: log });
}
