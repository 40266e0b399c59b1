import { type Converter, DocumentProblem } from './conversion.ts';
import { decodeText } from './convert-text.ts';
import { cutTable, markdownTable, mostCharacters, mostTableRows } from './fit-markdown.ts';

const delimiters = [',', ';', '\t'] as const;

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

function delimiterOf(text: string): string {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Rows of RFC 4180: quoted fields may hold delimiters, line breaks and doubled quotes. Empty lines are left out. */
function readRows(text: string, delimiter: string): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  let length = 0;
  while (at < text.length && rows.length < mostTableRows && length < mostCharacters) {
    const { value, next } = text[at] === '"' ? quotedField(text, at) : { value: '', next: at };
    const end = endOfField(text, next, delimiter);
    row.push(value + text.slice(next, end));
    length += end - at;
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (text[end] === delimiter && at < text.length) continue;
    if (row.some((field) => field.trim() !== '')) rows.push(row);
    row = [];
  }
  return { rows, isCut: at < text.length };
}

/** The content of the quotes at `open`, and where they end; an open quote reaches to the end of the file. */
function quotedField(text: string, open: number): { value: string; next: number } {
  let at = open + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (text[end + 1] !== '"') return { value: text.slice(open + 1, end).replaceAll('""', '"'), next: end + 1 };
    at = end + 2;
  }
}

function endOfField(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}
