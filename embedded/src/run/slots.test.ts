import { expect, test } from 'vitest';
import { openSlots, pauseOutside, runInSlots } from './slots.ts';

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

test('whoever pauses gives its slot to the next', async () => {
  const slots = openSlots(1);
  const waiting = door();
  const pause = pauseOutside(slots, () => waiting.opened);
  const order: string[] = [];
  const all = runInSlots(['paused', 'next'], slots, async (item) => {
    if (item === 'paused') await pause(1000, new AbortController().signal);
    order.push(item);
    waiting.open();
  });
  await all;
  expect(order).toEqual(['next', 'paused']);
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
