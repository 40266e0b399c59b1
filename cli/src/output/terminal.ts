import { fstatSync } from 'node:fs';
import { redactText } from '@proofmark/domain/redact-text';
import { visibleText, withoutCommands } from '@proofmark/domain/visible-text';

/** Where a command writes: answers to `write`, everything about its progress and its problems to `writeError`. */
export interface Terminal {
  write: (text: string) => void;
  writeError: (text: string) => void;
  /** Annotations for the log of a job, which obeys nothing that is written otherwise. */
  writeCommands: (text: string) => void;
  /** A person watches standard error: a line may be written over. */
  isInteractive: boolean;
  hasColor: boolean;
  /** Answers go to a person's screen or a job's log: documents are shown there with what a screen would obey made visible. */
  isScreen: boolean;
  columns: number;
}

/** What the environment says of the place that is written to. */
interface Surroundings {
  /** The terminal cannot show colours, or nobody wants them. */
  refusesColor: boolean;
  isCi: boolean;
  isActionsJob: boolean;
}

/** The terminal of this process. In a job of Actions no line that it writes is a command, unless that is what it is for. */
export function openTerminal(
  { isCi, isActionsJob, refusesColor }: Surroundings,
  [stdout, stderr] = [process.stdout, process.stderr] as const,
): Terminal {
  const write = (text: string) => void stdout.write(text);
  const writeError = (text: string) => void stderr.write(text);
  // What is redirected into a file is no log; a pipe may end in one.
  const isLogged = ({ fd }: { fd: number }) => isActionsJob && !fstatSync(fd).isFile();
  return {
    write: isLogged(stdout) ? (text) => write(withoutCommands(text)) : write,
    writeError: isLogged(stderr) ? (text) => writeError(withoutCommands(text)) : writeError,
    writeCommands: write,
    isInteractive: stderr.isTTY === true && !isCi,
    isScreen: stdout.isTTY === true || isLogged(stdout),
    hasColor: stdout.isTTY === true && stderr.isTTY === true && !refusesColor,
    // A pseudo-terminal may say 0.
    columns: stderr.columns || 80,
  };
}

/** Text that somebody else wrote, for one line of a terminal: control characters are shown, not obeyed. */
export function plain(text: string): string {
  return visibleText(redactText(text).replaceAll('\r', '\\u{000D}')).replaceAll('\n', ' ').replaceAll('\t', ' ');
}

/** A document for `write`: byte for byte for a file or another program, with control characters shown on a screen. */
export const shownDocument = (text: string, { isScreen }: Pick<Terminal, 'isScreen'>): string =>
  isScreen ? visibleText(text) : text;

/** More of a line that has no end yet than is held back. */
const longLine = 65_536;

/** A stream as texts that end where a line does, so that no command comes in two halves, which a guard cannot know. */
export async function* wholeLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    rest += text;
    const lines = rest.lastIndexOf('\n') + 1;
    // Inside of a line that is too long to wait for, no command loses its `::` or `##`.
    const end = lines > 0 || rest.length <= longLine ? lines : rest.search(/(?:#{1,2}|:{1,2})?$/);
    if (end > 0) yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  if (rest !== '') yield rest;
}

export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

const codes: Record<Color, [open: number, close: number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** The text in a colour where there are colours. It has to say the same without. */
export function paint({ hasColor }: Pick<Terminal, 'hasColor'>, color: Color, text: string): string {
  const [open, close] = codes[color];
  return hasColor ? `\u001B[${open}m${text}\u001B[${close}m` : text;
}

/** Rows as columns that line up, two spaces between; the last column is as long as it is. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))))
    .map((cells) => `${indent}${cells.join('  ').trimEnd()}\n`)
    .join('');
}

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
