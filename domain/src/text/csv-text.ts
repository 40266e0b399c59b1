export type CsvCell = string | number | boolean | null;

/** Rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading `'`. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

// Spreadsheets skip white space, separators and quotes before they look for a formula.
const startsLikeFormula = /^[\s;"']*[=+\-@\t\r＋－＝＠]/u;
const finiteNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i;

function csvCell(value: CsvCell): string {
  if (value === null) return '';
  const text = String(value).toWellFormed();
  const safe = startsLikeFormula.test(text) && !finiteNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
