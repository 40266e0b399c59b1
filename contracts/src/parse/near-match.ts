const MAX_NAME_LENGTH = 64;

/** The candidate that is at most a third of the letters away from `name`, or undefined. */
export function nearMatch(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const wanted = comparable(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, comparable(candidate));
    // Any two words of one letter are a letter apart: nearness says something from three letters on.
    const allowed = candidate.length < 3 ? 0 : Math.floor(candidate.length / 3);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The words that follow a message about an unknown name: `, did you mean "x"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const match = nearMatch(name, candidates);
  return match === undefined ? '' : `, did you mean \`${match}\`?`;
}

const comparable = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** Inserted, missing, changed and swapped letters between two words. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_NAME_LENGTH / 3) return MAX_NAME_LENGTH;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = isSwapped ? at(beforePrevious, column - 2) + 1 : change;
      current.push(Math.min(change, swap, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? MAX_NAME_LENGTH;
