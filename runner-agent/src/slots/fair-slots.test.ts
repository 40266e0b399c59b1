import { expect, test } from 'vitest';
import { FairSlots } from './fair-slots.ts';

const running = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('who asks first is served first, so runs take turns', async () => {
  const slots = new FairSlots(1);
  const first = await slots.acquire(running);
  const order: string[] = [];
  const waiting = ['a', 'b', 'a'].map(async (run) => {
    const slot = await slots.acquire(running);
    order.push(run);
    slot.release();
  });
  expect(slots.tryAcquire()).toBeUndefined();
  first.release();
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'a']);
});

test('nobody overtakes a waiter, although a slot is free for him', async () => {
  const slots = new FairSlots(2);
  const held = await slots.acquire(running);
  const solo = await slots.acquire(running);
  const exclusive = solo.hold({ exclusive: true, signal: running });
  expect(slots.free).toBe(1);
  expect(slots.tryAcquire()).toBeUndefined();
  held.release();
  await exclusive;
  expect(slots.free).toBe(0);
  solo.release();
  expect(slots.free).toBe(2);
});

test('who waits too long gets none and holds back nobody', async () => {
  const slots = new FairSlots(1);
  const held = await slots.acquire(running);
  expect(await slots.acquireWithin(1, running)).toBeUndefined();
  held.release();
  expect(slots.tryAcquire()).toBeDefined();
});

test('a slot that waits out a pause is lent to others', async () => {
  const slots = new FairSlots(1);
  const slot = await slots.acquire(running);
  slot.lend();
  const other = await slots.acquire(running);
  const back = slot.takeBack(running);
  await settled();
  expect(slots.free).toBe(0);
  other.release();
  await back;
  expect(slots.free).toBe(0);
  slot.release();
  slot.release();
  expect(slots.free).toBe(1);
});

test('a waiter that gives up leaves the queue', async () => {
  const slots = new FairSlots(1);
  const slot = await slots.acquire(running);
  const stop = new AbortController();
  const waiting = slots.acquire(stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  slot.release();
  expect(slots.free).toBe(1);
});
