import { csvRows, delimiterOf } from '@proofmark/contracts/read-csv';
import { type Converter, DocumentProblem } from './conversion.ts';
import { decodeText } from './convert-text.ts';
import { cutTable, markdownTable, mostCharacters, mostTableRows } from './fit-markdown.ts';

/** One table; the delimiter is the one that the first line has most of. */
export const convertCsv: Converter = (bytes) => {
  const text = decodeText(bytes);
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text.slice(0, 200)))
    throw new DocumentProblem('type_mismatch', 'the file is not CSV: it begins like a web page');
  const { rows, isCut } = readRows(text, delimiterOf(text));
  const table = markdownTable(rows);
  return {
    markdown: isCut ? cutTable(table, rows.length) : table,
    facts: { format: 'csv', rows: rows.length, ...(isCut ? { truncated: true } : {}) },
  };
};

/** As many rows as a table may have. */
function readRows(text: string, delimiter: string): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  let length = 0;
  for (const { fields } of csvRows(text, delimiter)) {
    if (rows.length >= mostTableRows || length >= mostCharacters) return { rows, isCut: true };
    rows.push(fields);
    length += fields.reduce((sum, field) => sum + field.length, 0);
  }
  return { rows, isCut: false };
}
