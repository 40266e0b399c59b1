import { expect, test } from 'vitest';
import { countSubscriptions } from './open-subscriptions.ts';

test('a token has at most 20 open subscriptions, and a closed one makes room once', () => {
  const open = countSubscriptions();
  const slots = Array.from({ length: 21 }, () => open.take('a', 'tenant'));
  expect(slots.filter((slot) => slot !== null)).toHaveLength(20);
  slots[0]?.release();
  slots[0]?.release();
  expect(open.take('a', 'tenant')).not.toBeNull();
  expect(open.take('a', 'tenant')).toBeNull();
});

test('a tenant has at most 200, however many tokens it uses', () => {
  const open = countSubscriptions();
  const taken = Array.from({ length: 300 }, (_, at) => open.take(`token ${at}`, 'tenant')).filter(
    (slot) => slot !== null,
  );
  expect(taken).toHaveLength(200);
  expect(open.take('another', 'another tenant')).not.toBeNull();
});
