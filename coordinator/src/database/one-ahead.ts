/**
 * Does the work for each item in turn and returns what came of each. What an item needs of this process is made while Postgres
 * is still at the statements of the one before; no more than two are in memory.
 */
export async function oneAhead<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const begun: Promise<Result>[] = [];
  for (const item of items) {
    const before = begun.at(-2);
    await before;
    const next = work(item);
    // When the one before fails nobody waits for this one, which fails with the transaction.
    next.catch(() => undefined);
    begun.push(next);
  }
  return Promise.all(begun);
}
