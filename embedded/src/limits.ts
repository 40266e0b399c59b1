import { FairSlots, type Slot, WaitingRoom } from '@proofmark/runner-agent/fair-slots';

/** A bound on how much happens at once, and on how much waits without happening. Whoever waits longest is next. */
interface Slots {
  slots: FairSlots;
  room: WaitingRoom;
}

export const openSlots = (limit: number): Slots => ({
  slots: new FairSlots(limit),
  room: new WaitingRoom(limit),
});

/** The one run of this process. */
export const ownRun = 'own';

/** What runs ends by itself when it is told to, and then there are slots and room. */
const never = new AbortController().signal;

/** Starts `run` for every item in order, each in a slot. Resolves when all have ended; rejects with the first error. */
export async function runInSlots<Item>(
  items: readonly Item[],
  { slots, room }: Slots,
  run: (item: Item, slot: Slot) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const running = new Set<Promise<void>>();
  for (const item of items) {
    if (!room.hasRoom(ownRun)) await room.whenRoom(ownRun, never);
    const slot = slots.tryAcquire() ?? (await slots.acquire(never));
    if (errors.length > 0) break;
    const task = run(item, slot)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => {
        running.delete(task);
        slot.release();
      });
    running.add(task);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}

/** What test runs have used, as far as it is known. */
export interface Spending {
  usd: number;
  tokens: number;
}

/** Null: as much as it takes. */
export type Budget = { readonly [Kind in keyof Spending]: number | null };

export const isOverBudget = (spent: Spending, { usd, tokens }: Budget): boolean =>
  (usd !== null && spent.usd >= usd) || (tokens !== null && spent.tokens >= tokens);

export const noSpending: Spending = { usd: 0, tokens: 0 };

export const sumOf = (one: Spending, other: Spending): Spending => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
});
