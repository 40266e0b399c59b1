import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { brokerOptions } from '@proofmark/process/broker-login';
import { expect, it } from 'vitest';
import { findNatsServer } from './find-nats-server.ts';
import { startOwnNats } from './nats.ts';
import { waitUntil } from './wait-until.ts';

it('starts on a port of its own with JetStream, twice at once', async () => {
  await using first = await startOwnNats();
  await using second = await startOwnNats();
  expect(first.url).not.toBe(second.url);
  for (const { url } of [first, second]) {
    const connection = await connect(brokerOptions({ NATS_URL: url }));
    const manager = await jetstreamManager(connection);
    expect(await manager.getAccountInfo()).toMatchObject({ streams: 0 });
    await connection.close();
  }
});

it('keeps its port and its streams over a kill and a restart', async () => {
  await using nats = await startOwnNats();
  const connection = await connect({
    ...brokerOptions({ NATS_URL: nats.url }),
    reconnectTimeWait: 20,
    maxReconnectAttempts: -1,
  });
  const manager = await jetstreamManager(connection, { timeout: 200 });
  await manager.streams.add({ name: 'KEPT', subjects: ['kept'] });
  await jetstream(connection).publish('kept', 'message');

  const before = nats.pid();
  await nats.kill();
  await nats.restart();

  expect(nats.pid()).not.toBe(before);
  const { state } = await waitUntil(() => manager.streams.info('KEPT'), { what: 'the client is connected again' });
  expect(state.messages).toBe(1);
  await connection.close();
});

it('keeps a store that the caller named', async () => {
  const storeDir = await mkdtemp(join(tmpdir(), 'nats-store-'));
  const nats = await startOwnNats({ storeDir });
  await nats.stop();
  expect(existsSync(join(storeDir, 'jetstream'))).toBe(true);
  await rm(storeDir, { recursive: true });
});

it('says which line installs it when it is nowhere and may not be installed', async () => {
  const search = findNatsServer({ named: undefined, directories: ['/nowhere'], mayInstall: false });
  await expect(search).rejects.toThrow(
    /sudo apt-get install -y nats-server[\s\S]*brew install nats-server[\s\S]*go install github\.com\/nats-io\/nats-server\/v2@latest/,
  );
});

it('never looks elsewhere when NATS_SERVER_BIN names something wrong', async () => {
  await expect(findNatsServer({ named: '/nowhere/nats-server' })).rejects.toThrow(
    'NATS_SERVER_BIN names /nowhere/nats-server',
  );
});
