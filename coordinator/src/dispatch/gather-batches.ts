type GatherOptions<Item> = {
  /** A batch ends when it weighs this much. */
  largest: number;
  weigh: (item: Item) => number;
  /** How long a batch waits for more after its first item. */
  waitMs: number;
};

const late = Symbol('late');

/** Batches of what an iterator yields: whatever comes within the wait, up to the largest weight. Reading stops while a batch is handled. */
export async function* gatherBatches<Item>(
  items: AsyncIterable<Item>,
  { largest, weigh, waitMs }: GatherOptions<Item>,
): AsyncGenerator<Item[]> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  for (let first = await next; !first.done; first = await next) {
    const batch = [first.value];
    let weight = weigh(first.value);
    next = iterator.next();
    const timer = startTimer(waitMs);
    while (weight < largest) {
      const more = await Promise.race([next, timer.over]);
      if (more === late || more.done) break;
      batch.push(more.value);
      weight += weigh(more.value);
      next = iterator.next();
    }
    timer.stop();
    yield batch;
  }
}

function startTimer(ms: number): { over: Promise<typeof late>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), ms);
  return { over: promise, stop: () => clearTimeout(timer) };
}
