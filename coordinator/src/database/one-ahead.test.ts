import { expect, it } from 'vitest';
import { oneAhead } from './one-ahead.ts';

it('begins with an item while the one before is at work, and with no further one', async () => {
  const said: string[] = [];
  const ends = new Map<number, () => void>();
  const done = oneAhead([1, 2, 3], async (item) => {
    said.push(`${item} begins`);
    await new Promise<void>((resolve) => ends.set(item, resolve));
    said.push(`${item} ends`);
    return item * 10;
  });
  await settle();
  expect(said).toEqual(['1 begins', '2 begins']);
  ends.get(1)?.();
  await settle();
  expect(said).toEqual(['1 begins', '2 begins', '1 ends', '3 begins']);
  ends.get(3)?.();
  ends.get(2)?.();
  expect(await done).toEqual([10, 20, 30]);
});

it('tells what failed first, begins with nothing more and lets what is under way fail in silence', async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await settle();
    throw new Error(`no ${item}`);
  };
  await expect(oneAhead([1, 2, 3], work)).rejects.toThrow('no 1');
  await settle();
  expect(begun).toEqual([1, 2]);
});

it('comes to nothing where there is nothing to do', async () => {
  expect(await oneAhead([], async () => 1)).toEqual([]);
});

/** Everything that can go on has gone on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
