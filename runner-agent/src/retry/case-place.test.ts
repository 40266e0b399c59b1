import { expect, test } from 'vitest';
import { FairSlots, WaitingRoom } from '../slots/fair-slots.ts';
import { CasePlace, type HeldSlot, placeWithin } from './case-place.ts';
import { tryAgain } from './try-again.ts';
import { type TrySignal, waitAside } from './try-scope.ts';

const running = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function door() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: () => promise, open: () => resolve() };
}

/** A process with one slot that this case has. */
async function story() {
  const slots = new FairSlots(1);
  const slot = await slots.acquire(running);
  const told: boolean[] = [];
  const place = new CasePlace(slot, (waits) => told.push(waits));
  return { slots, slot, place, told };
}

test('a case that waits has no slot, and has one again before it goes on', async () => {
  const { slots, place, told } = await story();
  const turn = door();
  const waiting = place.aside(turn.wait, running);
  expect([slots.free, told]).toEqual([1, [true]]);
  const other = await slots.acquire(running);
  turn.open();
  await settled();
  expect(told).toEqual([true]);
  other.release();
  await waiting;
  expect([slots.free, told]).toEqual([0, [true, false]]);
});

test('while another call of the case is under way its slot is in use', async () => {
  const { slots, place } = await story();
  const [first, second] = [door(), door()];
  const judge = await place.enter(running);
  const calling = await place.enter(running);
  const waiting = place.aside(first.wait, running);
  expect(slots.free).toBe(0);
  calling[Symbol.dispose]();
  expect(slots.free).toBe(1);
  const again = await place.enter(running);
  again[Symbol.dispose]();
  expect(slots.free).toBe(1);
  const both = place.aside(second.wait, running);
  first.open();
  second.open();
  await Promise.all([waiting, both]);
  expect(slots.free).toBe(0);
  judge[Symbol.dispose]();
});

test('members of a panel that all have to wait do so side by side: the slot is given away once', async () => {
  const { slots, place, told } = await story();
  const turn = door();
  let waiting = 0;
  const ask = () =>
    tryAgain(
      { clock: { monotonicMs: () => 0 }, random: () => 0, pause: async () => undefined, place },
      {
        ...{ tries: 1, timeoutMs: 1_000, deadlineAtMs: 1_000, signal: running },
        attempt: async (signal) => {
          waiting += 1;
          await waitAside(signal, turn.wait);
          return { ok: true, value: 'At 9' };
        },
      },
    );
  const panel = Promise.all([ask(), ask(), ask()]);
  await settled();
  // Somebody else has the slot now; nobody of the panel needs it for waiting.
  const other = await slots.acquire(running);
  await settled();
  expect([waiting, told]).toEqual([3, [true]]);
  other.release();
  turn.open();
  expect(await panel).toHaveLength(3);
  expect(told).toEqual([true, false]);
});

test('a call that begins while the others wait has to have the slot', async () => {
  const { slots, place } = await story();
  const turn = door();
  const waiting = place.aside(turn.wait, running);
  const other = await slots.acquire(running);
  let hasBegun = false;
  const beginning = Promise.resolve(place.enter(running)).then(() => {
    hasBegun = true;
  });
  await settled();
  expect(hasBegun).toBe(false);
  other.release();
  await beginning;
  expect(slots.free).toBe(0);
  turn.open();
  await waiting;
});

test('whoever is aborted goes at once: for going home it needs no slot', async () => {
  const { slots, place, told, slot } = await story();
  const stop = new AbortController();
  const waiting = place.aside(
    () => new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason))),
    stop.signal,
  );
  const other = await slots.acquire(running);
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  expect(told).toEqual([true, false]);
  slot.release();
  other.release();
  expect(slots.free).toBe(1);
});

test('whoever is aborted while it waits for a slot is gone, too, and a slot that was released is not taken back', async () => {
  const { slots, place, told, slot } = await story();
  const stop = new AbortController();
  const turn = door();
  const waiting = place.aside(turn.wait, stop.signal);
  const other = await slots.acquire(running);
  turn.open();
  await settled();
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  expect(told).toEqual([true, false]);
  slot.release();
  other.release();
  await slot.takeBack(running);
  expect(slots.free).toBe(1);
});

test('a case that ends in the middle of its waiting is not counted any more', async () => {
  const room = new WaitingRoom(1);
  const slot: HeldSlot = { lend: () => undefined, takeBack: async () => undefined };
  {
    using place = new CasePlace(slot, (waits) => room.tell('run', waits));
    void place.aside(() => new Promise(() => undefined), running);
    expect(room.size).toBe(1);
  }
  expect(room.size).toBe(0);
});

test('a try inside another one waits by the outer one, which stands still meanwhile', async () => {
  const { slots, place } = await story();
  const outer = await place.enter(running);
  const signal: TrySignal = Object.assign(new AbortController().signal, {
    aside: <T>(wait: () => Promise<T>) => place.aside(wait, running),
  });
  const turn = door();
  const inner = placeWithin(signal);
  using _inner = await inner.enter(running);
  const waiting = inner.aside(turn.wait, running);
  expect(slots.free).toBe(1);
  turn.open();
  await waiting;
  expect(slots.free).toBe(0);
  outer[Symbol.dispose]();
});

test('a runner begins no case of a run of which enough wait, and none when its memory is full of waiting ones', async () => {
  const room = new WaitingRoom(8);
  for (let wait = 0; wait < 8; wait += 1) room.tell('slow', true);
  expect([room.hasRoom('slow'), room.hasRoom('other')]).toEqual([false, true]);
  expect(await room.hasRoomWithin('slow', 1, running)).toBe(false);
  const waiting = room.whenRoom('slow', running);
  room.tell('slow', false);
  await waiting;
  for (let run = 0; run < 8; run += 1) for (let wait = 0; wait < 8; wait += 1) room.tell(`run ${run}`, true);
  expect(room.hasRoom('fresh')).toBe(false);
  const stop = new AbortController();
  stop.abort(new Error('over'));
  await expect(room.hasRoomWithin('fresh', 10_000, stop.signal)).rejects.toThrow('over');
});

test('beside a single slot a few may wait, so that one slow model does not stop the cases of another', () => {
  const room = new WaitingRoom(1);
  const hasRoom = [1, 2, 3, 4].map(() => {
    room.tell('run', true);
    return room.hasRoom('run');
  });
  expect(hasRoom).toEqual([true, true, true, false]);
});
