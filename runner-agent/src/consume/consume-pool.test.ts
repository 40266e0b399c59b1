import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { FairSlots, WaitingRoom } from '../slots/fair-slots.ts';
import type { OfferedChunk } from './claim-tasks.ts';
import { consumePool } from './consume-pool.ts';

type BackAfter = number | undefined;

interface Offer {
  chunks: number;
  slots: number;
  /** How many cases of which run wait for a model. */
  waiting?: Record<string, number>;
  /** Whether the reading fails when all chunks are there, twice. */
  breaks?: boolean;
}

/** A pool whose broker offers chunks of two turns of one run, all at once; tells what was taken and when the others come again. */
function startPool({ chunks, slots: count, waiting = {}, breaks = false }: Offer) {
  const back: BackAfter[] = [];
  const taken: number[] = [];
  const begun = Promise.withResolvers<void>();
  const stop = new AbortController();
  const slots = new FairSlots(count);
  const room = new WaitingRoom(count);
  for (const [run, cases] of Object.entries(waiting)) for (let at = 0; at < cases; at += 1) room.tell(run, true);
  const offers = Array.from({ length: chunks }, () => ({ nak: (ms?: number) => back.push(ms) }));
  const answers = breaks ? [offers, offers] : [offers];
  let broken = 0;
  const fetch = async () => {
    const messages = answers.shift() ?? [];
    if (messages.length === 0) await pause(20);
    return {
      async *[Symbol.asyncIterator]() {
        yield* messages;
        if (!breaks) return;
        broken += 1;
        throw new Error('no leader');
      },
      close: async () => undefined,
    };
  };
  const js = { consumers: { get: async () => ({ fetch }) } };
  const ended = consumePool({
    js: js as unknown as JetStreamClient, // All that is called of it.
    pool: 'default',
    ...{ slots, room, whenOpen: async () => undefined, isOpen: () => true, signal: stop.signal },
    read: (message: JsMsg) => ({ message, task: { runId: 'run', turns: [[], []] } }) as unknown as OfferedChunk, // All that is read of it.
    take: async (batch) => {
      taken.push(batch.length);
      await begun.promise;
    },
    log: pino({ level: 'silent' }),
  });
  return {
    ...{ back, room, begin: begun.resolve },
    broke: () => broken,
    taken: () => taken.reduce((sum, batch) => sum + batch, 0),
    async [Symbol.asyncDispose]() {
      stop.abort();
      begun.resolve();
      await ended;
    },
  };
}

test('a runner takes no more of a run than it can begin, however long the claim of what it took is under way', async () => {
  await using pool = startPool({ chunks: 8, slots: 8 });
  await vi.waitFor(() => expect(pool.back).toHaveLength(4));
  expect(pool.taken()).toBe(4);
  // Another runner may have the others nearly at once.
  expect(pool.back).toEqual(Array(4).fill(50));
  expect(pool.room.whenToTake('run')).toBe('soon');
  pool.begin();
  await vi.waitFor(() => expect(pool.room.whenToTake('run')).toBe('now'));
});

test('where cases of a run wait for a model, it takes what there is room for beside them', async () => {
  await using pool = startPool({ chunks: 8, slots: 8, waiting: { run: 5 } });
  await vi.waitFor(() => expect(pool.back).toHaveLength(6));
  expect(pool.taken()).toBe(2);
  // The limit is everybody's: no other runner could begin them now.
  expect(pool.back).toEqual(Array(6).fill(500));
});

test('where all runs together let as many cases wait as there is memory for, the next run is asked for again later', async () => {
  const runs = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`run ${at}`, 8]));
  await using pool = startPool({ chunks: 2, slots: 8, waiting: runs });
  await vi.waitFor(() => expect(pool.back).toEqual([500, 500]));
  expect(pool.taken()).toBe(0);
});

test('what came before the broker broke off is offered again, and counts as taken no more', async () => {
  await using pool = startPool({ chunks: 3, slots: 8, breaks: true });
  await vi.waitFor(() => expect(pool.broke()).toBe(2), { timeout: 10_000 });
  expect([pool.taken(), pool.room.whenToTake('run')]).toEqual([0, 'now']);
});
