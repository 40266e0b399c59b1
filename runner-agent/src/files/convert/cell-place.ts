import { DocumentProblem } from './document-problem.ts';

/** Row and column, counted from 1. */
export interface CellPlace {
  row: number;
  column: number;
}

export interface CellRange {
  from: CellPlace;
  to: CellPlace;
}

const mostCells = 100_000;

/** The place that `C12` names; undefined when it names none. */
export function cellPlace(name: string): CellPlace | undefined {
  const match = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/i.exec(name);
  if (match === null) return undefined;
  const [, letters = '', row = ''] = match;
  const column = Array.from(letters.toUpperCase()).reduce((value, letter) => value * 26 + letter.charCodeAt(0) - 64, 0);
  return { row: Number(row), column };
}

/** The range that `A1:E100` or `B2` names. */
export function cellRange(text: string): CellRange {
  const [first = '', last = first] = text.split(':');
  const [from, to] = [cellPlace(first), cellPlace(last)];
  if (!from || !to || to.row < from.row || to.column < from.column)
    throw new DocumentProblem('not_found', `\`${text.slice(0, 40)}\` is no range of cells such as A1:E100`);
  const cells = (to.row - from.row + 1) * (to.column - from.column + 1);
  if (cells > mostCells) throw new DocumentProblem('too_large', `the range has ${cells} cells, limit ${mostCells}`);
  return { from, to };
}

export function isInRange({ row, column }: CellPlace, { from, to }: CellRange): boolean {
  return row >= from.row && row <= to.row && column >= from.column && column <= to.column;
}
