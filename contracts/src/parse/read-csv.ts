const delimiters = [',', ';', '\t'] as const;

/** One row of a CSV file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  line: number;
  fields: string[];
  /** What is wrong with how it is written, and on which line; its fields are then what was probably meant. */
  fault?: { line: number; message: string };
}

/** The delimiter of a CSV file: the one that its first line has most of. */
export function delimiterOf(text: string): string {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * Rows of RFC 4180, one after another: quoted fields may hold delimiters, line breaks and doubled quotes. Empty lines are
 * left out. An open quote reaches to the end of the file.
 */
export function* csvRows(text: string, delimiter: string): Generator<CsvRow, void> {
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const { row, next, lines } = rowAt(text, at, { line, delimiter });
    if (row.fields.some((field) => field.trim() !== '')) yield row;
    at = next;
    line += lines;
  }
}

/** The row that begins at `from`, where the next one begins, and how many lines it takes. */
function rowAt(
  text: string,
  from: number,
  { line, delimiter }: { line: number; delimiter: string },
): { row: CsvRow; next: number; lines: number } {
  const row: CsvRow = { line, fields: [] };
  let lines = 1;
  for (let at = from; ; ) {
    const { value, fault, end } = fieldAt(text, at, delimiter);
    row.fields.push(value);
    if (fault !== undefined) row.fault ??= { line: line + lines - 1, message: fault };
    lines += lineBreaks(value);
    if (text[end] !== delimiter) return { row, next: end + (text.startsWith('\r\n', end) ? 2 : 1), lines };
    at = end + 1;
  }
}

const neverClosed = 'a quote is opened here and never closed';
const behindQuote = 'text stands behind a closing quote: a quote inside of quotes is written twice';

function fieldAt(text: string, at: number, delimiter: string): { value: string; fault?: string; end: number } {
  if (text[at] !== '"') {
    const end = endOfField(text, at, delimiter);
    return { value: text.slice(at, end), end };
  }
  const { value, next, isOpen } = quotedField(text, at);
  const end = endOfField(text, next, delimiter);
  if (isOpen) return { value, fault: neverClosed, end };
  return next === end ? { value, end } : { value: value + text.slice(next, end), fault: behindQuote, end };
}

interface QuotedField {
  value: string;
  /** Where the field goes on behind its quotes. */
  next: number;
  isOpen: boolean;
}

function quotedField(text: string, open: number): QuotedField {
  let at = open + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (text[end + 1] !== '"') {
      return {
        value: text.slice(open + 1, end).replaceAll('""', '"'),
        next: Math.min(end + 1, text.length),
        isOpen: quote === -1,
      };
    }
    at = end + 2;
  }
}

function endOfField(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
