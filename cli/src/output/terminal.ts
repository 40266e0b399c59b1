import { redactText } from '@proofmark/domain/redact-text';
import { visibleText } from '@proofmark/domain/visible-text';

/** Where a command writes: answers to `write`, everything about its progress and its problems to `writeError`. */
export interface Terminal {
  write: (text: string) => void;
  writeError: (text: string) => void;
  /** A person watches standard error: a line may be written over. */
  isInteractive: boolean;
  hasColor: boolean;
  /** Answers go to a person's screen: documents are shown there with what a screen would obey made visible. */
  isScreen: boolean;
  columns: number;
}

/** Text that somebody else wrote, for one line of a terminal: control characters are shown, not obeyed. */
export function plain(text: string): string {
  return visibleText(redactText(text).replaceAll('\r', '\\u{000D}')).replaceAll('\n', ' ').replaceAll('\t', ' ');
}

/** A document for `write`: byte for byte for a file or another program, with control characters shown on a screen. */
export const shownDocument = (text: string, { isScreen }: Pick<Terminal, 'isScreen'>): string =>
  isScreen ? visibleText(text) : text;

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
