/** A bound on how much happens at once. Whoever waits longest is next. */
export interface Slots {
  /** Resolves when a slot is free and takes it. */
  acquire: () => Promise<void>;
  release: () => void;
}

export function openSlots(limit: number): Slots {
  let free = limit;
  const waiting: (() => void)[] = [];
  return {
    acquire: async () => {
      if (free > 0) {
        free -= 1;
        return;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    release: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

/** A pause that gives the slot away meanwhile: whoever waits for a busy provider does not keep others from theirs. */
export function pauseOutside<Pause extends (ms: number, signal: AbortSignal) => Promise<void>>(
  slots: Slots,
  pause: Pause,
): (ms: number, signal: AbortSignal) => Promise<void> {
  return async (ms, signal) => {
    slots.release();
    try {
      await pause(ms, signal);
    } finally {
      await slots.acquire();
    }
  };
}

/** Starts `run` for every item in order, each in a slot. Resolves when all have ended; rejects with the first error. */
export async function runInSlots<Item>(
  items: readonly Item[],
  slots: Slots,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const running = new Set<Promise<void>>();
  for (const item of items) {
    await slots.acquire();
    if (errors.length > 0) break;
    const task = run(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => {
        running.delete(task);
        slots.release();
      });
    running.add(task);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
