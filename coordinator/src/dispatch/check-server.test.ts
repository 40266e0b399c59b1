import { expect, test } from 'vitest';
import { checkServer } from './check-server.ts';

const inside = { asksForLogin: true, isEncrypted: true, elsewhere: null };
const lenient = { requiresSync: false, allowsAnonymous: false };
const strict = { ...lenient, requiresSync: true };
const good = { version: '2.10.27', jetstream: true, maxPayloadBytes: 1_048_576, sync: 'always' as const, ...inside };

test('a recommended server with JetStream passes without a word', () => {
  expect(checkServer(good, lenient)).toEqual({ refusals: [], warnings: [] });
});

test.each([
  ['2.9.9', 1, 0],
  ['2.9.10', 0, 1],
  ['2.10.0-RC.1', 0, 1],
  ['2.15.1', 0, 0],
  ['3.0.0', 0, 0],
])('version %s gives %i refusals and %i warnings', (version, refused, warned) => {
  const { refusals, warnings } = checkServer({ ...good, version }, lenient);
  expect([refusals.length, warnings.length]).toEqual([refused, warned]);
});

test('a server without JetStream or with small messages is refused with what to do', () => {
  expect(checkServer({ ...good, jetstream: false, maxPayloadBytes: 65_536 }, lenient).refusals).toEqual([
    'JetStream is off: start nats-server with -js',
    'max_payload of NATS is 65536: set it to 1MB or more',
  ]);
});

test('a server that syncs later is doubted, and refused where syncing is required', () => {
  const later = { ...good, sync: 'later' as const };
  expect(checkServer(later, lenient)).toMatchObject({
    refusals: [],
    warnings: [expect.stringContaining('sync_interval: always')],
  });
  expect(checkServer(later, strict)).toMatchObject({
    refusals: [expect.stringContaining('sync_interval: always')],
    warnings: [],
  });
});

test('an unknown way of syncing is silent, and not enough where syncing is required', () => {
  const unknown = { ...good, sync: 'unknown' as const };
  expect(checkServer(unknown, lenient)).toEqual({ refusals: [], warnings: [] });
  expect(checkServer(unknown, strict).refusals).toHaveLength(1);
  expect(checkServer(good, strict)).toEqual({ refusals: [], warnings: [] });
});

test('a server elsewhere that takes anybody is refused unless that is allowed by name, and then it is told', () => {
  const open = { ...good, asksForLogin: false, elsewhere: 'nats.internal' };
  expect(checkServer({ ...open, elsewhere: null }, lenient)).toEqual({ refusals: [], warnings: [] });
  expect(checkServer(open, lenient).refusals).toEqual([
    'NATS at nats.internal takes anybody without a login: give it users (deploy/README.md says how), or set PROOFMARK_NATS_ALLOW_ANONYMOUS=1',
  ]);
  expect(checkServer(open, { ...lenient, allowsAnonymous: true })).toEqual({
    refusals: [],
    warnings: [expect.stringContaining('can send results as any runner')],
  });
});

test('a server elsewhere without TLS is told', () => {
  expect(checkServer({ ...good, isEncrypted: false, elsewhere: '10.0.0.7' }, lenient)).toEqual({
    refusals: [],
    warnings: [expect.stringContaining('NATS at 10.0.0.7 is reached without TLS')],
  });
});
