import { type Converter, DocumentProblem } from './conversion.ts';
import { cutTable, markdownTable, mostCharacters, mostTableRows } from './fit-markdown.ts';
import { OfficePackage } from './office-package.ts';
import { readXml } from './read-xml.ts';

/** A table per sheet. A range without a sheet means the first one. */
export const convertExcel: Converter = (bytes, { sheet, range }) => {
  const workbook = readWorkbook(bytes);
  const wanted = range === undefined ? undefined : cellRange(range);
  const parts: string[] = [];
  let rows = 0;
  let length = 0;
  let isCut = false;
  for (const { name, part } of chosenSheets(workbook, sheet, wanted)) {
    const table = readSheet(workbook.file.part(part), workbook, wanted);
    const text = markdownTable(table.rows);
    if (text !== '') parts.push(`## ${name}\n\n${table.isCut ? cutTable(text, table.rows.length) : text}`);
    rows += table.rows.length;
    length += text.length;
    isCut ||= table.isCut;
    if (length > mostCharacters) break;
  }
  const sheets = workbook.sheets.map(({ name }) => name);
  return {
    markdown: parts.join('\n\n'),
    facts: { format: 'xlsx', sheets, rows, ...(isCut ? { truncated: true } : {}) },
  };
};

function chosenSheets(
  { sheets }: Workbook,
  wanted: string | undefined,
  range: CellRange | undefined,
): Workbook['sheets'] {
  if (wanted === undefined) return range ? sheets.slice(0, 1) : sheets;
  const found = sheets.filter(({ name }) => name === wanted);
  if (found.length > 0) return found;
  const names = sheets
    .slice(0, 20)
    .map(({ name }) => name)
    .join(', ');
  throw new DocumentProblem('not_found', `there is no sheet "${wanted}": the workbook has ${names}`);
}

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

/** Number formats of the standard that show a date or a time. */
const builtInDates: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const dayMs = 86_400_000;

/** Whether a number format shows a date or a time: its code has one of their letters outside of quotes and brackets. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return builtInDates.some(([first, last]) => id >= first && id <= last);
  const letters = code.replaceAll(/"[^"]*"|\\.|\[(?![hms]+\])[^\]]*\]|_.|\*./gi, '');
  return /[dmyhs]/i.test(letters) && !/^general$/i.test(letters.trim());
}

/** The day and time that Excel stores as a number of days, as ISO 8601; a number below one day is a time alone. */
export function excelDate(serial: number, { is1904 }: { is1904: boolean }): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined;
  const wholeMs = Math.round(serial * 86_400) * 1_000;
  if (serial < 1) return new Date(wholeMs).toISOString().slice(11, 19);
  // Excel believes that 1900 was a leap year, so days before its 60th lie one further.
  const epochMs = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const text = new Date(epochMs + wholeMs).toISOString();
  return wholeMs % dayMs === 0 ? text.slice(0, 10) : text.slice(0, 19);
}

export interface Workbook {
  file: OfficePackage;
  sheets: { name: string; part: string }[];
  /** Texts that cells refer to by position. */
  texts: string[];
  /** Whether cells of this style show a date, by the position of the style. */
  dateStyles: boolean[];
  is1904: boolean;
}

/** What all sheets of a workbook share. The sheets themselves are not read yet. */
export function readWorkbook(bytes: Buffer): Workbook {
  const file = new OfficePackage(bytes, 'excel');
  const relationships = file.relationships(file.main);
  const sheets: Workbook['sheets'] = [];
  let is1904 = false;
  readXml(file.part(file.main), {
    open: ({ name, attributes }) => {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes.get('date1904') ?? '');
      const part = name === 'sheet' ? relationships.get(attributes.get('id') ?? '') : undefined;
      if (part && part.type === 'worksheet' && !part.isExternal)
        sheets.push({ name: attributes.get('name') ?? '', part: part.target });
      return undefined;
    },
  });
  return {
    file,
    sheets,
    texts: readTexts(file.partIfAny(file.related(file.main, 'sharedStrings'))),
    dateStyles: readDateStyles(file.partIfAny(file.related(file.main, 'styles'))),
    is1904,
  };
}

function readTexts(bytes: Buffer | undefined): string[] {
  const texts: string[] = [];
  let parts: string[] = [];
  let isText = false;
  if (!bytes) return texts;
  readXml(bytes, {
    open: ({ name }) => {
      // Readings of East Asian words are not part of the text.
      if (name === 'rPh') return false;
      if (name === 'si') parts = [];
      isText = name === 't';
      return undefined;
    },
    text: (text) => {
      if (isText) parts.push(text);
    },
    close: (name) => {
      if (name === 'si') texts.push(parts.join(''));
      isText = false;
    },
  });
  return texts;
}

function readDateStyles(bytes: Buffer | undefined): boolean[] {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isCellStyles = false;
  if (!bytes) return styles;
  readXml(bytes, {
    open: ({ name, attributes }) => {
      const id = Number(attributes.get('numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, attributes.get('formatCode') ?? '');
      if (name === 'cellXfs') isCellStyles = true;
      if (name === 'xf' && isCellStyles) styles.push(isDateFormat(id, codes.get(id)));
      return undefined;
    },
    close: (name) => {
      if (name === 'cellXfs') isCellStyles = false;
    },
  });
  return styles;
}

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
