/**
 * How many characters have to be added, removed or replaced to make one text of the other; undefined when it is more than
 * `most`. Only what `most` allows is looked at, so two long texts cost no more than their length times `most`.
 */
export function editDistance(one: string, other: string, most: number): number | undefined {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (Math.abs(a.length - b.length) > most) return undefined;
  // A row holds the columns from `most` before to `most` behind the diagonal.
  let row = Array.from({ length: 2 * most + 1 }, (_, at) => (at < most ? most + 1 : at - most));
  for (const [index, letter] of a.entries()) {
    row = nextRow(row, { most, index, isEqual: (column) => b[column] === letter, columns: b.length });
    if (Math.min(...row) > most) return undefined;
  }
  const distance = row[b.length - a.length + most] ?? most + 1;
  return distance > most ? undefined : distance;
}

interface RowRules {
  most: number;
  /** Which letter of the first text this is. */
  index: number;
  columns: number;
  isEqual: (column: number) => boolean;
}

function nextRow(row: readonly number[], { most, index, columns, isEqual }: RowRules): number[] {
  const far = most + 1;
  const next: number[] = [];
  const cheapest = (at: number, column: number): number => {
    const [replaced = far, added = far, removed = far] = [row[at], next[at - 1], row[at + 1]];
    return Math.min(replaced + (isEqual(column - 1) ? 0 : 1), added + 1, removed + 1, far);
  };
  for (let at = 0; at < row.length; at += 1) {
    const column = index + 1 + at - most;
    const isOutside = column < 0 || column > columns;
    if (isOutside) next.push(far);
    else next.push(column === 0 ? Math.min(index + 1, far) : cheapest(at, column));
  }
  return next;
}
