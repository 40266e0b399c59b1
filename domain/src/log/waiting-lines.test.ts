import { expect, test } from 'vitest';
import { waitingLines } from './waiting-lines.ts';

test('a wait is told at once, then every ten seconds, then when it is over', () => {
  const { failed, over } = waitingLines('Postgres');
  const tries = [0, 500, 9_500, 10_000, 10_500, 25_000].map((nowMs) => failed('refused', nowMs));
  expect(tries).toEqual([
    'Waiting for Postgres: refused',
    null,
    null,
    'Still waiting for Postgres after 10 s: refused',
    null,
    'Still waiting for Postgres after 25 s: refused',
  ]);
  expect(over(26_400)).toBe('Postgres is there after 26 s');
});

test('another reason is told soon, but two that alternate do not fill the log', () => {
  const { failed } = waitingLines('Postgres');
  const reasons = ['refused', 'shutting down', 'refused', 'shutting down'];
  const lines = reasons.map((reason, index) => failed(reason, index * 1_000));
  expect(lines).toEqual([
    'Waiting for Postgres: refused',
    null,
    null,
    'Still waiting for Postgres after 3 s: shutting down',
  ]);
});

test('what was there at once is not mentioned, and a second wait begins anew', () => {
  const { failed, over, isWaiting } = waitingLines('NATS');
  expect([isWaiting(), over(0)]).toEqual([false, null]);
  failed('refused', 0);
  expect(isWaiting()).toBe(true);
  over(1_000);
  expect(failed('refused', 2_000)).toBe('Waiting for NATS: refused');
});
