import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { brokerAccounts } from '@proofmark/contracts/broker-accounts';
import { z } from 'zod';
import { environment, inheritedEnvironment } from './environment.ts';
import { findNatsServer } from './find-nats-server.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';
import { makeScratchDirectory, noteServer } from './scratch-directory.ts';
import { waitUntil } from './wait-until.ts';

/** Processes of the product that have a key, all runners in the pool `default`. */
type KeyHolder = 'coordinator' | `runner-${number}`;

export type Nats = AsyncDisposable & {
  /** With a login that may do everything, for a test that plays any part. */
  url: string;
  /** The environment in which a process of the product logs in with a key of its own. */
  loginOf: (holder: KeyHolder) => Record<string, string>;
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
  /** Without keys, as a server on this machine may be: known before it is there. */
  takesAnybody?: boolean;
};

/** A running NATS server with JetStream: the one of NATS_URL, else a new one that ends with this process. */
export async function startNats(options: StartOptions = {}): Promise<Nats> {
  if (environment.NATS_URL === undefined) return startOwnNats(options);
  const stop = async () => undefined;
  const { NATS_URL } = environment;
  return { url: NATS_URL, loginOf: () => ({ NATS_URL }), stop, [Symbol.asyncDispose]: stop };
}

/** A new server on a port of its own, whatever the environment says: for tests that kill and restart it. */
export async function startOwnNats({
  storeDir,
  port: wanted = -1,
  takesAnybody = false,
}: StartOptions = {}): Promise<OwnNats> {
  const binary = await findNatsServer();
  const directory = await makeScratchDirectory('nats');
  const logins = makeLogins();
  await writeFile(join(directory, 'nats.conf'), takesAnybody ? '' : logins.configuration, { mode: 0o600 });
  const launch = async (port: number) =>
    launchIn({ binary, directory, port, storeDir: storeDir ?? join(directory, 'js') });

  let server = await launch(wanted);
  const address = await clientUrl(directory, binary, server);
  const url = address.replace('://', `://${logins.everything}@`);
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    url,
    loginOf: (holder) => ({ NATS_URL: address, PROOFMARK_NATS_SEED: logins.seedOf(holder) }),
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

const mostRunners = 32;

/** Keys as an operator makes them, in accounts as they are shipped, and a login for tests beside the coordinators. */
function makeLogins() {
  const names: KeyHolder[] = Array.from({ length: mostRunners }, (_, index): KeyHolder => `runner-${index + 1}`);
  const pairs = new Map([...names, 'coordinator' as const].map((name) => [name, nkeys.createUser()]));
  const pairOf = (holder: KeyHolder) => {
    const pair = pairs.get(holder);
    if (pair === undefined) throw new Error(`${holder} has no key: there are ${mostRunners} runners with one`);
    return pair;
  };
  const runners = names.map((runnerId) => ({ runnerId, pools: ['default'], nkey: pairOf(runnerId).getPublicKey() }));
  const accounts = brokerAccounts(pairOf('coordinator').getPublicKey(), runners);
  const password = randomBytes(16).toString('hex');
  return {
    everything: `tests:${password}`,
    configuration: accounts.replace('users: [', `users: [\n      { user: tests, password: "${password}" }`),
    seedOf: (holder: KeyHolder) => Buffer.from(pairOf(holder).getSeed()).toString(),
  };
}

type Launch = { binary: string; directory: string; port: number; storeDir: string };

async function launchIn({ binary, directory, port, storeDir }: Launch): Promise<OwnedProcess> {
  const args = [
    '-c',
    join(directory, 'nats.conf'),
    '-js',
    '-a',
    '127.0.0.1',
    '-p',
    String(port),
    '--ports_file_dir',
    directory,
    '-sd',
    storeDir,
  ];
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
