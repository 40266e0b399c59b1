import { expect, test } from 'vitest';
import { checkServer } from './check-server.ts';

const good = { version: '2.10.27', jetstream: true, maxPayloadBytes: 1_048_576, sync: 'always' as const };

test('a recommended server with JetStream passes without a word', () => {
  expect(checkServer(good, false)).toEqual({ refusals: [], warnings: [] });
});

test.each([
  ['2.9.9', 1, 0],
  ['2.9.10', 0, 1],
  ['2.10.0-RC.1', 0, 1],
  ['2.15.1', 0, 0],
  ['3.0.0', 0, 0],
])('version %s gives %i refusals and %i warnings', (version, refused, warned) => {
  const { refusals, warnings } = checkServer({ ...good, version }, false);
  expect([refusals.length, warnings.length]).toEqual([refused, warned]);
});

test('a server without JetStream or with small messages is refused with what to do', () => {
  expect(checkServer({ ...good, jetstream: false, maxPayloadBytes: 65_536 }, false).refusals).toEqual([
    'JetStream is off: start nats-server with -js',
    'max_payload of NATS is 65536: set it to 1MB or more',
  ]);
});

test('a server that syncs later is doubted, and refused where syncing is required', () => {
  const later = { ...good, sync: 'later' as const };
  expect(checkServer(later, false)).toMatchObject({
    refusals: [],
    warnings: [expect.stringContaining('sync_interval: always')],
  });
  expect(checkServer(later, true)).toMatchObject({
    refusals: [expect.stringContaining('sync_interval: always')],
    warnings: [],
  });
});

test('an unknown way of syncing is silent, and not enough where syncing is required', () => {
  const unknown = { ...good, sync: 'unknown' as const };
  expect(checkServer(unknown, false)).toEqual({ refusals: [], warnings: [] });
  expect(checkServer(unknown, true).refusals).toHaveLength(1);
  expect(checkServer(good, true)).toEqual({ refusals: [], warnings: [] });
});
