/** The known name that a person most likely meant; undefined when none is close. Case alone never separates two names. */
export function suggestName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const limit = Math.max(1, Math.floor(given.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    // Names whose lengths differ by more than the limit cannot be within it.
    if (Math.abs(name.length - given.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** A hint for a message, empty when no known name is close. */
export function didYouMean(given: string, known: readonly string[]): string | undefined {
  const name = suggestName(given, known);
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? 0;
