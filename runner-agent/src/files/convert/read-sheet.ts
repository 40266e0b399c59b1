import { type CellPlace, type CellRange, cellPlace, isInRange } from './cell-place.ts';
import { excelDate } from './excel-date.ts';
import { mostTableRows } from './fit-markdown.ts';
import type { Workbook } from './read-workbook.ts';
import { readXml } from './read-xml.ts';

/** Far more than what fits into the text; a sheet is read no further. */
const mostFilledCells = 100_000;

export interface SheetTable {
  /** Only rows and columns that hold anything: one far-away cell must not make a million empty ones. */
  rows: string[][];
  isCut: boolean;
}

interface OpenCell extends CellPlace {
  type: string;
  style: number;
  value: string;
  formula: string;
}

/** The filled cells of one sheet as a table of stored values. */
export function readSheet(bytes: Buffer, workbook: Workbook, range: CellRange | undefined): SheetTable {
  const rows = new Map<number, Map<number, string>>();
  let filled = 0;
  const isDone = (): boolean => filled >= mostFilledCells || rows.size > mostTableRows;
  readCells(bytes, isDone, (cell) => {
    const text = isDone() || (range && !isInRange(cell, range)) ? '' : cellText(cell, workbook);
    if (text.trim() === '') return;
    const row = rows.get(cell.row) ?? new Map<number, string>();
    rows.set(cell.row, row.set(cell.column, text));
    filled += 1;
  });
  return { rows: asTable([...rows.values()].slice(0, mostTableRows)), isCut: isDone() };
}

function asTable(rows: readonly ReadonlyMap<number, string>[]): string[][] {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
  return rows.map((row) => columns.map((column) => row.get(column) ?? ''));
}

/** Calls back for every cell in the order of the file. Places that are left out continue the row. */
function readCells(bytes: Buffer, isDone: () => boolean, onCell: (cell: OpenCell) => void): void {
  let cell: OpenCell | undefined;
  let inside = '';
  let last: CellPlace = { row: 0, column: 0 };
  readXml(bytes, {
    isDone,
    open: ({ name, attributes }) => {
      if (name === 'rPh') return false;
      if (name === 'row') last = { row: Number(attributes.get('r') ?? last.row + 1), column: 0 };
      if (name === 'c') {
        last = cellPlace(attributes.get('r') ?? '') ?? { row: last.row, column: last.column + 1 };
        const style = Number(attributes.get('s') ?? 0);
        cell = { ...last, type: attributes.get('t') ?? 'n', style, value: '', formula: '' };
      }
      inside = name;
      return undefined;
    },
    text: (text) => {
      if (cell && (inside === 'v' || inside === 't')) cell.value += text;
      if (cell && inside === 'f') cell.formula += text;
    },
    close: (name) => {
      inside = '';
      if (name === 'c' && cell) onCell(cell);
      if (name === 'c') cell = undefined;
    },
  });
}

/** What is stored in the cell; a formula without a stored result is its own text, and is never computed. */
function cellText({ type, style, value, formula }: OpenCell, workbook: Workbook): string {
  if (value === '') return formula === '' ? '' : `=${formula}`;
  switch (type) {
    case 's':
      return workbook.texts[Number(value)] ?? '';
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'n':
      return numberText(Number(value), workbook.dateStyles[style] ?? false, workbook) ?? value;
    default:
      return value;
  }
}

/** Numbers with 15 digits as Excel shows them; 0.1 + 0.2 is stored with 17. */
function numberText(number: number, isDate: boolean, { is1904 }: Workbook): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  return (isDate ? excelDate(number, { is1904 }) : undefined) ?? String(Number(number.toPrecision(15)));
}
