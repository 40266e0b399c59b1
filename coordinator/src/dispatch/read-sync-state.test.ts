import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { readSyncState } from './read-sync-state.ts';

async function monitored(varz: unknown): Promise<string> {
  const server = createServer((request, response) =>
    response.end(request.url === '/varz' ? JSON.stringify(varz) : '{}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const state = await readSyncState(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  server.close();
  return state;
}

test('a server that syncs always is told from one that syncs later', async () => {
  expect(await monitored({ jetstream: { config: { sync_always: true } } })).toBe('always');
  expect(await monitored({ jetstream: { config: { sync_interval: 120_000_000_000 } } })).toBe('later');
});

test('without a monitoring address, or with one that is no monitor, nothing is known', async () => {
  expect(await readSyncState(undefined)).toBe('unknown');
  expect(await readSyncState('http://127.0.0.1:9')).toBe('unknown');
  expect(await monitored({ jetstream: 'off' })).toBe('unknown');
});
