import { expect, test } from 'vitest';
import { gatherBatches } from './gather-batches.ts';

const one = () => 1;

async function* from<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

test('what is there already is one batch', async () => {
  const batches = await Array.fromAsync(gatherBatches(from(1, 2, 3), { largest: 10, weigh: one, waitMs: 1000 }));
  expect(batches).toEqual([[1, 2, 3]]);
});

test('a batch ends at its largest weight', async () => {
  const batches = await Array.fromAsync(
    gatherBatches(from(16, 16, 4, 16), { largest: 32, weigh: (item) => item, waitMs: 1000 }),
  );
  expect(batches).toEqual([
    [16, 16],
    [4, 16],
  ]);
});

test('a batch does not wait for ever for company', async () => {
  const gate = Promise.withResolvers<void>();
  async function* slow() {
    yield 'a';
    await gate.promise;
    yield 'b';
  }
  const batches = gatherBatches(slow(), { largest: 10, weigh: one, waitMs: 1 });
  expect((await batches.next()).value).toEqual(['a']);
  gate.resolve();
  expect((await batches.next()).value).toEqual(['b']);
  expect((await batches.next()).done).toBe(true);
});
