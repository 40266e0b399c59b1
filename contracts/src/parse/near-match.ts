const MAX_NAME_LENGTH = 64;
/** Nobody names more things than this; a hostile file that does must not cost time. */
const MAX_CANDIDATES = 500;

/** The candidate that is at most a third of the letters away from `name`, or undefined. */
export function nearMatch(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const wanted = comparable(name);
  let best: { candidate: string; distance: number } | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_NAME_LENGTH * 2) continue;
    // Any two words of one letter are a letter apart: nearness says something from three letters on.
    const allowed = candidate.length < 3 ? 0 : Math.floor(candidate.length / 3);
    const distance = editDistance(wanted, comparable(candidate), allowed);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The words that follow a message about an unknown name: `, did you mean "x"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const match = nearMatch(name, candidates);
  return match === undefined ? '' : `, did you mean \`${match}\`?`;
}

/** A name without what people spell in different ways. */
export const comparable = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** Inserted, missing, changed and swapped letters between two words; given up as soon as they are more than `allowed`. */
function editDistance(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return MAX_NAME_LENGTH;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow({ a, b, row }, previous, beforePrevious);
    if (Math.min(...current, ...previous) > allowed) return MAX_NAME_LENGTH;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

interface Words {
  a: string;
  b: string;
  row: number;
}

function nextRow({ a, b, row }: Words, previous: readonly number[], beforePrevious: readonly number[]): number[] {
  const current = [row];
  for (let column = 1; column <= b.length; column += 1) {
    const change = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
    const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    const swap = isSwapped ? at(beforePrevious, column - 2) + 1 : change;
    current.push(Math.min(change, swap, at(previous, column) + 1, at(current, column - 1) + 1));
  }
  return current;
}

const at = (row: readonly number[], column: number): number => row[column] ?? MAX_NAME_LENGTH;
