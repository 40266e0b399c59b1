/** Gives each name once, and none of those that are taken before: one that is taken gets the next number with which it is free. */
export function freeNames(
  numbered: (name: string, number: number) => string,
  before: Iterable<string> = [],
): (name: string) => string {
  const taken = new Set(before);
  // Where the search goes on: many rows may have the same name.
  const numbers = new Map<string, number>();
  return (name) => {
    let free = name;
    let number = numbers.get(name) ?? 1;
    while (taken.has(free)) {
      number += 1;
      free = numbered(name, number);
    }
    numbers.set(name, number);
    taken.add(free);
    return free;
  };
}
