import { expect, it } from 'vitest';
import { freePort } from '../stack/free-port.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { waitUntil } from '../stack/wait-until.ts';

it('a coordinator that still waits for Postgres answers every request with 503 and when to ask again', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const coordinator = await spawnOwned(process.execPath, ['coordinator/src/main.ts'], {
    cwd: repositoryRoot,
    env: {
      // Nobody listens there: the start waits a minute for it.
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing`,
      NATS_URL: `nats://127.0.0.1:${await freePort()}`,
      PORT: String(port),
      PROOFMARK_HOST: '127.0.0.1',
      PUBLIC_URL: url,
      PROOFMARK_MIGRATE_ON_START: '1',
    },
  });
  await using _coordinator = { [Symbol.asyncDispose]: async () => void (await coordinator.stop()) };
  await waitUntil(async () => (await fetch(`${url}/healthz`)).ok, {
    what: 'the port is open',
    detail: coordinator.log,
  });
  const ask = async (method: string, path: string) => {
    const response = await fetch(url + path, { method });
    const body = (await response.text()).trim();
    return `${method} ${path}: ${response.status}, retry-after ${response.headers.get('retry-after')}: ${body}`;
  };
  const notReady = '{"errors":[{"message":"Not ready. Try again later.","extensions":{"code":"UNAVAILABLE"}}]}';
  expect([
    await ask('GET', '/readyz'),
    await ask('POST', '/graphql'),
    await ask('POST', '/webhooks/github'),
    await ask('PUT', `/blobs/${'0'.repeat(64)}`),
  ]).toEqual([
    'GET /readyz: 503, retry-after 2: starting',
    `POST /graphql: 503, retry-after 2: ${notReady}`,
    `POST /webhooks/github: 503, retry-after 2: ${notReady}`,
    `PUT /blobs/${'0'.repeat(64)}: 503, retry-after 2: ${notReady}`,
  ]);
  expect(coordinator.log()).not.toContain('A request failed');
});
