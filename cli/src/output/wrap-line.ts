/**
 * A line as lines of at most `width` characters, broken between words, each after the first one indented like `hanging`.
 * Where nobody watches it stays one line, so that other programs find it whole.
 */
export function wrapLine(line: string, { width, hanging = '' }: { width: number | null; hanging?: string }): string[] {
  if (width === null || line.length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const word of line.slice(indent.length).split(' ')) {
    if (!isEmpty && current.length + 1 + word.length > width) {
      lines.push(current);
      [current, isEmpty] = [hanging, true];
    }
    current += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, current];
}
