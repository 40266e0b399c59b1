const MAX_CELLS = 100_000;
const LAST_COLUMN = 16_384;
const LAST_ROW = 1_048_576;

const cellForm = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/;

/** Why `A1:E100` style text is no range that can be read, or undefined. */
export function rangeProblem(range: string): { code: 'invalid_format' | 'out_of_range'; message: string } | undefined {
  const cells = range.split(':').map(readCell);
  const [first, last = first] = cells;
  if (cells.length > 2 || first === undefined || last === undefined) {
    return { code: 'invalid_format', message: 'must look like A1:E100' };
  }
  if (last.column > LAST_COLUMN || last.row > LAST_ROW || first.column > LAST_COLUMN || first.row > LAST_ROW) {
    return { code: 'out_of_range', message: 'is beyond the last cell XFD1048576' };
  }
  if (last.column < first.column || last.row < first.row)
    return { code: 'invalid_format', message: 'must name the upper left cell first' };
  const size = (last.column - first.column + 1) * (last.row - first.row + 1);
  return size > MAX_CELLS ? { code: 'out_of_range', message: `has ${size} cells, limit ${MAX_CELLS}` } : undefined;
}

function readCell(text: string): { column: number; row: number } | undefined {
  const match = cellForm.exec(text);
  if (match === null) return undefined;
  const [, letters = '', row = ''] = match;
  const column = Array.from(letters).reduce((value, letter) => value * 26 + letter.charCodeAt(0) - 64, 0);
  return { column, row: Number(row) };
}
