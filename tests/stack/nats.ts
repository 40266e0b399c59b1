import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { brokerAccounts } from '@proofmark/contracts/broker-accounts';
import { z } from 'zod';
import { environment, inheritedEnvironment } from './environment.ts';
import { findNatsServer } from './find-nats-server.ts';
import { freePort } from './free-port.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';
import { repositoryRoot } from './processes.ts';
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
  /** Takes the account of a key out of the configuration and starts the server again: a reload would take JetStream from all. */
  lockOut: (holder: KeyHolder) => Promise<void>;
};

/** Three servers that hold each message three times. */
export type NatsCluster = Omit<OwnNats, 'pid' | 'kill' | 'restart' | 'lockOut'> & {
  nodes: readonly { name: string; kill: () => Promise<void>; restart: () => Promise<void> }[];
};

type StartOptions = {
  /** Keeps the streams here instead of in a directory that `stop` removes. */
  storeDir?: string;
  /** Listens here instead of on a free port. */
  port?: number;
  /** Without keys, as a server on this machine may be: known before it is there. */
  takesAnybody?: boolean;
  /** Variables of its process, besides those that it inherits. */
  env?: Record<string, string>;
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
  env = {},
}: StartOptions = {}): Promise<OwnNats> {
  const binary = await findNatsServer();
  const directory = await makeScratchDirectory('nats');
  const logins = makeLogins();
  const configure = (accounts: string) => writeFile(join(directory, 'nats.conf'), accounts, { mode: 0o600 });
  await configure(takesAnybody ? '' : logins.configuration);
  const launch = async (port: number) =>
    launchIn({ binary, directory, port, storeDir: storeDir ?? join(directory, 'js'), env });

  let server = await launch(wanted);
  const address = await clientUrl(directory, binary, server);
  const url = address.replace('://', `://${logins.everything}@`);
  const relaunch = async () => {
    await server.stop();
    server = await launch(Number(new URL(url).port));
  };
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
    restart: relaunch,
    lockOut: async (holder) => {
      await configure(logins.without(holder));
      await relaunch();
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Three servers on ports of their own that know each other. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const binary = await findNatsServer();
  const directory = await makeScratchDirectory('nats-cluster');
  const logins = makeLogins();
  const names = ['n1', 'n2', 'n3'];
  const ports = await Promise.all(
    names.map(async (name) => ({ name, port: await freePort(), route: await freePort() })),
  );
  const password = `p${randomBytes(16).toString('hex')}`;
  const routes = ports.map(({ route }) => `"nats-route://route:${password}@127.0.0.1:${route}"`).join(', ');
  const shipped = await readFile(join(repositoryRoot, 'deploy/nats/nats-cluster.conf'), 'utf8');
  const launch = async ({ name, port, route }: (typeof ports)[number]) => {
    const folder = join(directory, name);
    await mkdir(folder, { recursive: true });
    // As it is shipped, but on loopback; what it includes is in the configuration of the logins.
    const cluster = shipped
      .replace(/^include .*$/m, '')
      .replace('"0.0.0.0:6222"', `"127.0.0.1:${route}"`)
      .replace('"/run/nats/nats.pid"', JSON.stringify(join(folder, 'nats.pid')))
      .replace('$POD_NAME', name)
      .replaceAll('$CLUSTER_PASSWORD', password)
      .replace('$CLUSTER_ROUTES', `[${routes}]`);
    await writeFile(join(folder, 'nats.conf'), `${cluster}${logins.configuration}`, { mode: 0o600 });
    return await launchIn({ binary, directory: folder, port, storeDir: join(folder, 'js') });
  };
  const servers = new Map(await Promise.all(ports.map(async (one) => [one.name, await launch(one)] as const)));
  const stop = async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    await rm(directory, { recursive: true, force: true });
  };
  const addresses = ports.map(({ port }) => `127.0.0.1:${port}`);
  const all = addresses.map((address) => `nats://${address}`).join(',');
  return {
    // Who logs in says it in the first one.
    url: all.replace('://', `://${logins.everything}@`),
    loginOf: (holder) => ({ NATS_URL: all, PROOFMARK_NATS_SEED: logins.seedOf(holder) }),
    nodes: ports.map((one) => ({
      name: one.name,
      kill: async () => void (await servers.get(one.name)?.stop({ signal: 'SIGKILL' })),
      restart: async () => void servers.set(one.name, await launch(one)),
    })),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const mostRunners = 32;

interface Key {
  holder: KeyHolder;
  nkey: string;
  seed: string;
}

let made: readonly Key[] | undefined;

/** Made once for all brokers of a process: to work out a public key takes milliseconds, and tests start hundreds of brokers. */
function keysOfThisProcess(): readonly Key[] {
  const runners = Array.from({ length: mostRunners }, (_, index): KeyHolder => `runner-${index + 1}`);
  made ??= ['coordinator' as const, ...runners].map((holder) => {
    const pair = nkeys.createUser();
    return { holder, nkey: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() };
  });
  return made;
}

/** Keys as an operator makes them, in accounts as they are shipped, and a login for tests beside the coordinators. */
function makeLogins() {
  const keys = keysOfThisProcess();
  const keyOf = (holder: KeyHolder) => {
    const key = keys.find((one) => one.holder === holder);
    if (key === undefined) throw new Error(`${holder} has no key: there are ${mostRunners} runners with one`);
    return key;
  };
  const runners = keys.flatMap(({ holder: runnerId, nkey }) =>
    runnerId === 'coordinator' ? [] : [{ runnerId, pools: ['default'], nkey }],
  );
  const password = randomBytes(16).toString('hex');
  const accountsOf = (known: typeof runners) =>
    brokerAccounts(keyOf('coordinator').nkey, known).replace(
      'users: [',
      `users: [\n      { user: tests, password: "${password}" }`,
    );
  return {
    everything: `tests:${password}`,
    configuration: accountsOf(runners),
    without: (holder: KeyHolder) => accountsOf(runners.filter(({ runnerId }) => runnerId !== holder)),
    seedOf: (holder: KeyHolder) => keyOf(holder).seed,
  };
}

type Launch = {
  binary: string;
  directory: string;
  port: number;
  storeDir: string;
  env?: Record<string, string>;
};

async function launchIn({ binary, directory, port, storeDir, env }: Launch): Promise<OwnedProcess> {
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
  const server = await spawnOwned(binary, args, {
    cwd: directory,
    env: { ...inheritedEnvironment(), ...env },
    directory,
  });
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
