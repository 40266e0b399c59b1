export const mostCharacters = 200_000;
export const mostTableRows = 10_000;

/** Stands below a table of which there was more. */
export const cutTable = (table: string, rows: number): string => `${table}\n\n[… cut after ${rows} rows]`;

const controls = /[^\P{Cc}\t\n]/gu;

/** The text as it goes to the agent: line ends as `\n`, no other control characters, and cut with a mark where it is too long. */
export function fitMarkdown(text: string): { text: string; isCut: boolean } {
  const clean = text
    .slice(0, mostCharacters + 1)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '\u{FFFD}')
    .toWellFormed();
  if (text.length <= mostCharacters) return { text: clean.trim(), isCut: false };
  const mark = `\n\n[… cut after ${mostCharacters} characters]`;
  return { text: `${clean.slice(0, mostCharacters - mark.length).trim()}${mark}`.toWellFormed(), isCut: true };
}

/** A Markdown table with the first row as its header; rows are filled up to the widest one. Nothing for no rows. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = widest(rows);
  if (width === 0) return '';
  const [header = [], ...body] = rows;
  return [line(header, width), `|${' --- |'.repeat(width)}`, ...body.map((row) => line(row, width))].join('\n');
}

// A spread of all rows would be as many arguments.
function widest(rows: readonly (readonly string[])[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

function line(row: readonly string[], width: number): string {
  const cells = Array.from({ length: width }, (_, index) => cell(row[index] ?? ''));
  return `| ${cells.join(' | ')} |`;
}

function cell(text: string): string {
  return text
    .trim()
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
