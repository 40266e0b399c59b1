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
