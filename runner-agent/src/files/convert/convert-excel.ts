import { type CellRange, cellRange } from './cell-place.ts';
import type { Converter } from './conversion.ts';
import { DocumentProblem } from './document-problem.ts';
import { cutTable, mostCharacters } from './fit-markdown.ts';
import { markdownTable } from './markdown-table.ts';
import { readSheet } from './read-sheet.ts';
import { readWorkbook, type Workbook } from './read-workbook.ts';

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
