import { visibleText } from './visible-text.ts';

export type CsvCell = string | number | boolean | null;

export interface CsvOptions {
  /** Every character as it was, also those that show nothing or reorder what is shown. */
  rawCells?: boolean;
}

/**
 * Rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading `'`, and characters that nobody
 * can see are spelled out, unless the cells are to be raw.
 */
export function csvText(rows: readonly (readonly CsvCell[])[], { rawCells = false }: CsvOptions = {}): string {
  const shown = rawCells ? (text: string) => text.toWellFormed() : visibleText;
  return rows.map((row) => `${row.map((cell) => csvCell(cell, shown)).join(',')}\r\n`).join('');
}

// Spreadsheets skip white space, separators and quotes before they look for a formula.
const startsLikeFormula = /^[\s;"']*[=+\-@\t\r＋－＝＠]/u;
const finiteNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i;

function csvCell(value: CsvCell, shown: (text: string) => string): string {
  if (value === null) return '';
  const text = shown(String(value));
  const safe = startsLikeFormula.test(text) && !finiteNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
