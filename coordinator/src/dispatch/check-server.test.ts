import { expect, test } from 'vitest';
import { checkServer } from './check-server.ts';

const good = { version: '2.10.27', jetstream: true, maxPayloadBytes: 1_048_576 };

test('a recommended server with JetStream passes without a word', () => {
  expect(checkServer(good)).toEqual({ refusals: [], warnings: [] });
});

test.each([
  ['2.9.9', 1, 0],
  ['2.9.10', 0, 1],
  ['2.10.0-RC.1', 0, 1],
  ['2.15.1', 0, 0],
  ['3.0.0', 0, 0],
])('version %s gives %i refusals and %i warnings', (version, refused, warned) => {
  const { refusals, warnings } = checkServer({ ...good, version });
  expect([refusals.length, warnings.length]).toEqual([refused, warned]);
});

test('a server without JetStream or with small messages is refused with what to do', () => {
  expect(checkServer({ ...good, jetstream: false, maxPayloadBytes: 65_536 }).refusals).toEqual([
    'JetStream is off: start nats-server with -js',
    'max_payload of NATS is 65536: set it to 1MB or more',
  ]);
});
