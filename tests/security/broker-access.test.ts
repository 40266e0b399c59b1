import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import {
  connect,
  type NatsConnection,
  nkeyAuthenticator,
  nkeys,
  PermissionViolationError,
} from '@nats-io/transport-node';
import { COORDINATOR, inboxPrefix, RUNNER_API } from '@proofmark/contracts/broker-accounts';
import {
  poolSubject,
  RESULTS_STREAM,
  RESULTS_SUBJECTS,
  RPC_SUBJECTS,
  resultSubject,
  rpcSubject,
  runEventSubject,
  runnerSubject,
  workStream,
  workSubject,
  workSubjects,
} from '@proofmark/contracts/subjects';
import { brokerOptions } from '@proofmark/process/broker-login';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../stack/environment.ts';
import { findNatsServer } from '../stack/find-nats-server.ts';
import { freePort } from '../stack/free-port.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { waitUntil } from '../stack/wait-until.ts';

const run = promisify(execFile);

/** What the command for operators prints. */
async function runnerKey(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [
    join(repositoryRoot, 'coordinator/src/dispatch/runner-key-main.ts'),
    ...args,
  ]);
  return stdout;
}

const lineOf = (lines: string, name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(lines)?.[1] ?? '';

/** The server as it is shipped, on loopback, with another runner of another pool beside those of compose.yaml. */
async function startShippedServer() {
  const binary = await findNatsServer();
  const { stdout: version } = await run(binary, ['--version']);
  const shipped = /v2\.9\./.test(version) ? 'nats-2.9.conf' : 'nats-2.10.conf';
  const directory = await makeScratchDirectory('broker');
  const [port, monitor] = [await freePort(), await freePort()];
  const read = (name: string) => readFile(join(repositoryRoot, 'deploy/nats', name), 'utf8');
  const server = (await read(shipped))
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace('0.0.0.0:8222', `127.0.0.1:${monitor}`)
    .replace('"/data"', JSON.stringify(join(directory, 'data')));
  const keys = await runnerKey('--env');
  const other = await runnerKey('other', '--pools', 'secret');
  const account = other.slice(other.indexOf('  "other": {'));
  await mkdir(join(directory, 'data'));
  await writeFile(join(directory, 'nats.conf'), server);
  await writeFile(join(directory, 'accounts.conf'), (await read('accounts.conf')).replace(/\}\n$/, `${account}}\n`));
  const names = ['COORDINATOR_NKEY', 'RUNNER_NKEY'];
  const nats = await spawnOwned(binary, ['-c', join(directory, 'nats.conf')], {
    cwd: directory,
    env: { ...inheritedEnvironment(), ...Object.fromEntries(names.map((name) => [name, lineOf(keys, name)])) },
    directory,
  });
  if (!(await nats.wrote('Server is ready'))) throw new Error(`${basename(binary)} did not start:\n${nats.log()}`);
  return {
    url: `nats://127.0.0.1:${port}`,
    seeds: {
      coordinator: lineOf(keys, 'COORDINATOR_NATS_SEED'),
      runner: lineOf(keys, 'RUNNER_NATS_SEED'),
      other: lineOf(other, 'PROOFMARK_NATS_SEED'),
    },
    stop: async () => {
      await nats.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Client {
  connection: NatsConnection;
  /** Subjects that the broker has refused to it. */
  refused: Set<string>;
}

async function logIn(seed: string, name: string): Promise<Client> {
  const authenticator = nkeyAuthenticator(Buffer.from(seed));
  const options = { servers: server.url, authenticator, reconnect: false, inboxPrefix: inboxPrefix(name) };
  const connection = await connect(options);
  const refused = new Set<string>();
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        refused.add(status.error.subject);
    }
  })();
  return { connection, refused };
}

const pools = ['default', 'secret'];
const consumer = 'waiting';
let server: Awaited<ReturnType<typeof startShippedServer>>;
let coordinator: Client;
/** Somebody with the key of the runners of the pool `default`. */
let attacker: Client;
let other: Client;
/** What anybody else has been told since the test began. */
let heard: string[] = [];

beforeAll(async () => {
  server = await startShippedServer();
  coordinator = await logIn(server.seeds.coordinator, COORDINATOR);
  attacker = await logIn(server.seeds.runner, 'runner');
  other = await logIn(server.seeds.other, 'other');
  const streams = await jetstreamManager(coordinator.connection);
  await streams.streams.add({ name: RESULTS_STREAM, subjects: [RESULTS_SUBJECTS] });
  for (const pool of pools) {
    await streams.streams.add({
      name: workStream(pool),
      subjects: [workSubjects(pool)],
      retention: RetentionPolicy.Workqueue,
    });
    await streams.consumers.add(workStream(pool), { durable_name: consumer, ack_policy: AckPolicy.Explicit });
    await jetstream(coordinator.connection).publish(workSubject(pool, 't', 'r', '1'), `work of ${pool}`);
  }
  for (const subject of [runnerSubject('other'), poolSubject('secret'), `${inboxPrefix('other')}.>`]) {
    other.connection.subscribe(subject, { callback: (_error, message) => void heard.push(message.subject) });
  }
  coordinator.connection.subscribe(RPC_SUBJECTS, {
    callback: (_error, message) => {
      heard.push(message.subject);
      message.respond(`answer to ${message.string()}`);
    },
  });
  await other.connection.flush();
});
afterAll(async () => {
  for (const client of [coordinator, attacker, other]) await client?.connection.close();
  await server?.stop();
});
beforeEach(() => {
  heard = [];
});

/** How many messages each stream holds, and whether it is there. */
async function held(): Promise<Record<string, number>> {
  const { streams } = await jetstreamManager(coordinator.connection);
  const names = [RESULTS_STREAM, ...pools.map(workStream)];
  const states = names.map(async (name) => [name, (await streams.info(name)).state.messages] as const);
  return Object.fromEntries(await Promise.all(states));
}

/** Everything that was sent has arrived everywhere. */
const settle = async () => {
  for (const client of [attacker, coordinator, other]) await client.connection.flush();
};

const api = '$JS.API';

describe('the broker as it is shipped', () => {
  test('N1 nobody gets in without a key, and nobody with a key that it does not know', async () => {
    await expect(connect({ servers: server.url })).rejects.toThrow(/authorization/i);
    await expect(connect({ servers: server.url, user: 'runner', pass: 'runner' })).rejects.toThrow(/authorization/i);
    const stranger = Buffer.from(nkeys.createUser().getSeed()).toString();
    await expect(logIn(stranger, 'runner')).rejects.toThrow(/authorization/i);
  });

  test('a runner takes work of its pool, asks, is told and sends results with its key', async () => {
    const { connection } = await logIn(server.seeds.runner, 'runner');
    const told = connection.subscribe(poolSubject('default'), { max: 1 });
    const answer = await connection.request(rpcSubject('runner', 'hello'), 'hello', { timeout: 5000 });
    expect(answer.string()).toBe('answer to hello');
    coordinator.connection.publish(poolSubject('default'), 'a notice');
    for await (const notice of told) expect(notice.string()).toBe('a notice');
    const js = jetstream(connection, { apiPrefix: RUNNER_API });
    const work = await (await js.consumers.get(workStream('default'), consumer)).next({ expires: 5000 });
    expect(work?.string()).toBe('work of default');
    await js.publish(resultSubject('runner', 'r'), 'a result');
    await work?.ackAck();
    expect(await held()).toEqual({ [RESULTS_STREAM]: 1, [workStream('default')]: 0, [workStream('secret')]: 1 });
    await connection.close();
  });

  test.each([
    ['a result of another runner', resultSubject('other', 'r')],
    ['a call of another runner', rpcSubject('other', 'claim')],
    ['work', workSubject('default', 't', 'r', '2')],
    ['work of another pool', workSubject('secret', 't', 'r', '2')],
    ['a notice to another runner', runnerSubject('other')],
    ['a notice to its pool', poolSubject('default')],
    ['an event of a run', runEventSubject('t', 'r')],
    ['an answer to another runner', `${inboxPrefix('other')}.x`],
    ['an answer to a coordinator', `${inboxPrefix(COORDINATOR)}.x`],
    ['a pull from another pool', `${RUNNER_API}.CONSUMER.MSG.NEXT.${workStream('secret')}.${consumer}`],
    ['an acknowledgement in another pool', `$JS.ACK.${workStream('secret')}.${consumer}.1.1.1.1.1`],
    ['the end of a stream', `${api}.STREAM.DELETE.${workStream('default')}`],
    ['the emptying of a stream', `${api}.STREAM.PURGE.${RESULTS_STREAM}`],
    ['a stream', `${api}.STREAM.CREATE.MINE`],
    ['a consumer', `${api}.CONSUMER.CREATE.${workStream('default')}`],
    ['a read of a stream', `${api}.STREAM.MSG.GET.${RESULTS_STREAM}`],
    ['an order to the server', '$SYS.REQ.SERVER.PING'],
  ])('N2 a runner cannot send %s', async (_what, subject) => {
    const before = await held();
    attacker.connection.publish(subject, '{}', { reply: `${inboxPrefix('runner')}.answer` });
    await waitUntil(() => attacker.refused.has(subject), { what: `the broker refuses ${subject}` });
    await settle();
    expect({ heard, held: await held() }).toEqual({ heard: [], held: before });
  });

  test.each([
    ['everything', '>'],
    ['everything of the product', 'pm.>'],
    ['the answers to another runner', `${inboxPrefix('other')}.>`],
    ['the answers to all', '_INBOX.>'],
    ['the answers to coordinators', `${inboxPrefix(COORDINATOR)}.>`],
    ['the notices to another runner', runnerSubject('other')],
    ['the notices to all runners', 'pm.ctl.*'],
    ['the notices to another pool', poolSubject('secret')],
    ['the calls of runners', RPC_SUBJECTS],
    ['the results of runners', RESULTS_SUBJECTS],
    ['the work of its pool', workSubjects('default')],
    ['what the server tells', '$SYS.>'],
  ])('N2 a runner cannot hear %s', async (_what, subject) => {
    attacker.connection.subscribe(subject, { callback: () => undefined });
    await waitUntil(() => attacker.refused.has(subject), { what: `the broker refuses ${subject}` });
  });

  const doors = {
    'a result': resultSubject('runner', 'r'),
    'a call': rpcSubject('runner', 'claim'),
    'a question about its consumer': `${RUNNER_API}.CONSUMER.INFO.${workStream('default')}.${consumer}`,
    'a pull': `${RUNNER_API}.CONSUMER.MSG.NEXT.${workStream('default')}.${consumer}`,
  };
  test.each(Object.entries(doors))('N2 the answer to %s is no order, wherever it is sent', async (what, door) => {
    await jetstream(coordinator.connection).publish(workSubject('default', 't', 'r', what.replaceAll(' ', '-')), '{}');
    const targets = [
      `${api}.STREAM.PURGE.${workStream('secret')}`,
      `${api}.STREAM.DELETE.${workStream('secret')}`,
      `${api}.STREAM.PURGE.${RESULTS_STREAM}`,
      resultSubject('other', 'r'),
      rpcSubject('other', 'claim'),
      workSubject('secret', 't', 'r', '3'),
      runnerSubject('other'),
      `${inboxPrefix('other')}.x`,
    ];
    const before = await held();
    for (const reply of targets) attacker.connection.publish(door, '', { reply });
    await settle();
    const results = what === 'a result' ? targets.length : 0;
    const stored = { ...before, [RESULTS_STREAM]: (before[RESULTS_STREAM] ?? 0) + results };
    await waitUntil(async () => (await held())[RESULTS_STREAM] === stored[RESULTS_STREAM], { what: 'all has arrived' });
    await settle();
    expect({ heard: heard.filter((subject) => subject !== door), held: await held() }).toEqual({
      heard: [],
      held: stored,
    });
  });

  test('N3 coordinators have no part in the account of the server', async () => {
    coordinator.connection.subscribe('$SYS.>', { callback: () => undefined });
    coordinator.connection.publish('$SYS.REQ.SERVER.PING');
    await waitUntil(() => coordinator.refused.size === 2, { what: 'the broker refuses both' });
  });

  test('N1 a server with TLS of a private authority is reached with the file of that authority, and not without', async () => {
    const directory = await makeScratchDirectory('tls');
    const port = await freePort();
    const certificate = join(directory, 'ca.pem');
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=broker', '-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', join(directory, 'key.pem'), '-out', certificate],
    ]);
    const flags = ['--tls', '--tlscert', certificate, '--tlskey', join(directory, 'key.pem')];
    const nats = await spawnOwned(await findNatsServer(), ['-a', '127.0.0.1', '-p', String(port), ...flags], {
      env: inheritedEnvironment(),
      directory,
    });
    await nats.wrote('Server is ready');
    const NATS_URL = `tls://localhost:${port}`;
    await expect(connect(brokerOptions({ NATS_URL }))).rejects.toThrow(/self-signed certificate/);
    const connection = await connect(brokerOptions({ NATS_URL, PROOFMARK_NATS_CA_FILE: certificate }));
    expect(connection.info?.tls_required).toBe(true);
    await connection.close();
    await nats.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('a runner whose name is not the one of its key says so', async () => {
    const env = {
      ...inheritedEnvironment(),
      ...{ NATS_URL: server.url, PROOFMARK_NATS_SEED: server.seeds.runner, PROOFMARK_RUNNER_ID: 'mine', PORT: '0' },
      PROOFMARK_HOST: '127.0.0.1',
    };
    const entry = join(repositoryRoot, 'runner-agent/src/main.ts');
    const wrong = await spawnOwned(process.execPath, [entry], { env });
    expect(await wrong.wrote('NATS does not allow publish pm.rpc.mine.hello')).toBe(true);
    expect(wrong.log()).toContain('was the key of this runner made for the name mine and the pools default?');
    expect(wrong.log()).not.toContain(server.seeds.runner);
    await wrong.stop();
  });
});
