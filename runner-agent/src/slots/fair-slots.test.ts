import { expect, test } from 'vitest';
import { FairSlots, SlotOutlook } from './fair-slots.ts';

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

test('how many slots are free soon follows from how fast turns have ended since the last look', async () => {
  let nowMs = 0;
  const slots = new FairSlots(10);
  const held = await Promise.all(Array.from({ length: 10 }, () => slots.acquire(running)));
  const outlook = new SlotOutlook(slots, () => nowMs);
  const pass = (ms: number, turns: number, turnMs: number): void => {
    nowMs += ms;
    for (const slot of held.splice(0, turns)) slot.endTurn(turnMs);
  };

  pass(10, 1, 15);
  expect(outlook.freeIn(20)).toBe(2);
  pass(10, 3, 15);
  // Six are still taken; no more than these can come back.
  expect(outlook.freeIn(20)).toBe(6);
  pass(1_000, 2, 15);
  expect(outlook.freeIn(20)).toBe(0);
  // Who only waits for a slot, or lends it, has ended nothing.
  held[0]?.lend();
  (await slots.acquire(running)).release();
  nowMs += 1;
  expect(outlook.freeIn(20)).toBe(0);
});

test('turns that end together, because they began together, do not promise that those begun after them end as soon', async () => {
  let nowMs = 0;
  const slots = new FairSlots(100);
  const outlook = new SlotOutlook(slots, () => nowMs);
  const begin = async (count: number) => await Promise.all(Array.from({ length: count }, () => slots.acquire(running)));
  const wave = await begin(100);
  nowMs += 800;
  expect(outlook.freeIn(20)).toBe(0);
  nowMs += 5;
  for (const slot of wave.slice(0, 50)) slot.endTurn(800);
  await begin(50);
  // A hundred turns of 800 ms: two or three end in 20.
  expect(outlook.freeIn(20)).toBe(2);
});
