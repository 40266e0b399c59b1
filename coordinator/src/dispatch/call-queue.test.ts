import { expect, test } from 'vitest';
import { callQueue } from './call-queue.ts';

/** A queue whose answers end when they are told to. */
function held({ atOnce = 1, mostWaiting = 10, patienceMs = 60_000 } = {}) {
  const told: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const queue = callQueue<string>({
    ...{ atOnce, mostWaiting },
    patienceMs: () => patienceMs,
    answer: async (call) => {
      told.push(`answering ${call}`);
      const gate = Promise.withResolvers<void>();
      gates.set(call, gate);
      await gate.promise;
    },
    onDropped: (call) => void told.push(`dropped ${call}`),
  });
  const end = async (call: string) => {
    gates.get(call)?.resolve();
    await new Promise(setImmediate);
  };
  return { queue, told, end };
}

test('so many are answered at once, the others in their order', async () => {
  const { queue, told, end } = held({ atOnce: 2 });
  for (const call of ['a', 'b', 'c', 'd']) queue.add(call, performance.now());
  expect(told).toEqual(['answering a', 'answering b']);
  await end('b');
  await end('a');
  expect(told).toEqual(['answering a', 'answering b', 'answering c', 'answering d']);
  const empty = queue.empty();
  await end('c');
  await end('d');
  await empty;
});

test('what its asker has given up by its turn is dropped', async () => {
  const { queue, told, end } = held({ patienceMs: 1_000 });
  queue.add('slow', performance.now());
  queue.add('given up', performance.now() - 1_001);
  queue.add('awaited', performance.now());
  await end('slow');
  expect(told).toEqual(['answering slow', 'dropped given up', 'answering awaited']);
});

test('beyond its bound the one that waits longest goes', async () => {
  const { queue, told, end } = held({ mostWaiting: 2 });
  for (const call of ['a', 'b', 'c', 'd', 'e']) queue.add(call, performance.now());
  await end('a');
  expect(told).toEqual(['answering a', 'dropped b', 'dropped c', 'answering d']);
});

test('an empty queue is empty at once', async () => {
  await held().queue.empty();
});
