import { CasePlace } from '@proofmark/runner-agent/case-place';
import { expect, test } from 'vitest';
import { openSlots, ownRun, runInSlots } from './limits.ts';

/** A promise that ends when it is told to. */
function door() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('no more than the limit run at once, and they start in order', async () => {
  const doors = [door(), door(), door(), door()];
  const started: number[] = [];
  const all = runInSlots([0, 1, 2, 3], openSlots(2), async (item) => {
    started.push(item);
    await doors[item]?.opened;
  });
  await expect.poll(() => started).toEqual([0, 1]);
  doors[1]?.open();
  await expect.poll(() => started).toEqual([0, 1, 2]);
  for (const { open } of doors) open();
  await all;
  expect(started).toEqual([0, 1, 2, 3]);
});

test('whoever waits gives its slot to the next, and has one again before it goes on', async () => {
  const slots = openSlots(1);
  const waiting = door();
  const order: string[] = [];
  const all = runInSlots(['waits', 'next'], slots, async (item, slot) => {
    using place = new CasePlace(slot, (waits) => slots.room.tell(ownRun, waits));
    if (item === 'waits') await place.aside(() => waiting.opened, new AbortController().signal);
    order.push(`${item} with ${slots.slots.free} free`);
    waiting.open();
  });
  await all;
  expect(order).toEqual(['next with 0 free', 'waits with 0 free']);
  expect(slots.slots.free).toBe(1);
});

test('only so many begin to wait: further ones would wait in vain, and in memory', async () => {
  const slots = openSlots(2);
  const waiting = door();
  const started: number[] = [];
  const all = runInSlots([0, 1, 2, 3, 4, 5], slots, async (item, slot) => {
    using place = new CasePlace(slot, (waits) => slots.room.tell(ownRun, waits));
    started.push(item);
    await place.aside(() => waiting.opened, new AbortController().signal);
  });
  await expect.poll(() => slots.room.size).toBe(4);
  expect(started).toEqual([0, 1, 2, 3]);
  waiting.open();
  await all;
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
});

test('the first error stops what has not started, after what runs has ended', async () => {
  const started: number[] = [];
  const failing = runInSlots([0, 1, 2], openSlots(1), async (item) => {
    started.push(item);
    if (item === 1) throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(started).toEqual([0, 1]);
});
