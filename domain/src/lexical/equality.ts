/** Every ASCII punctuation mark; for `replace`, which needs no reset. */
export const asciiPunctuation = /[!-/:-@[-`{-~]/g;

interface EqualityOptions {
  caseInsensitive?: boolean | undefined;
  stripPunctuation?: boolean | undefined;
  stripWhitespace?: boolean | undefined;
}

/** Whether both texts are equal in NFC after the same options, applied in the order of their names here. */
export function isEqualText(response: string, truth: string, options: EqualityOptions = {}): boolean {
  return fold(response, options) === fold(truth, options);
}

function fold(text: string, { caseInsensitive, stripPunctuation, stripWhitespace }: EqualityOptions): string {
  let folded = text.normalize('NFC');
  if (caseInsensitive) folded = folded.toLowerCase();
  if (stripPunctuation) folded = folded.replace(asciiPunctuation, '');
  if (stripWhitespace) folded = folded.replace(/\s+/gu, ' ').trim();
  // Lower case may leave the normal form, as it does for a capital I with a dot.
  return folded.normalize('NFC');
}

interface NumericOptions {
  /** Inclusive; 1e-6 unless given. */
  absoluteTolerance?: number | undefined;
  /** A share of the reference; 0 unless given. */
  relativeTolerance?: number | undefined;
  acceptPercent?: boolean | undefined;
  acceptThousandsSeparators?: boolean | undefined;
}

/** `unusable` names the side that is no finite number in the accepted spelling. */
type NumericComparison =
  | { ok: true; isEqual: boolean; response: number; truth: number }
  | { ok: false; unusable: 'response' | 'truth' };

/** Compares two numbers written as text. A reference that is no number is reported before a response that is none. */
export function compareNumbers(response: string, truth: string, options: NumericOptions = {}): NumericComparison {
  const b = readNumber(truth, options);
  if (b === undefined) return { ok: false, unusable: 'truth' };
  const a = readNumber(response, options);
  if (a === undefined) return { ok: false, unusable: 'response' };
  return { ok: true, isEqual: isWithin(a, b, options), response: a, truth: b };
}

/** A decimal number as people and models write it; undefined for everything else, infinity and hexadecimal included. */
export function readNumber(text: string, options: NumericOptions = {}): number | undefined {
  const compact = options.acceptThousandsSeparators ? text.replace(/[,_\u00a0\u202f]/g, '') : text;
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)$/.exec(compact.trim());
  if (!match) return undefined;
  const [, digits, percent] = match;
  if (percent === '%' && !options.acceptPercent) return undefined;
  const value = Number(digits) / (percent === '%' ? 100 : 1);
  return Number.isFinite(value) ? value : undefined;
}

function isWithin(a: number, b: number, { absoluteTolerance = 1e-6, relativeTolerance = 0 }: NumericOptions): boolean {
  const difference = Math.abs(a - b);
  // A tolerance is inclusive, so the last bit of a subtraction must not decide.
  const rounding = 2 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
  if (difference <= absoluteTolerance + rounding) return true;
  return relativeTolerance > 0 && difference <= relativeTolerance * Math.abs(b) + rounding;
}

/**
 * How many characters have to be added, removed or replaced to make one text of the other; undefined when it is more than
 * `most`. Only what `most` allows is looked at, so two long texts cost no more than their length times `most`.
 */
export function editDistance(one: string, other: string, most: number): number | undefined {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (Math.abs(a.length - b.length) > most) return undefined;
  // A row holds the columns from `most` before to `most` behind the diagonal.
  let row = Array.from({ length: 2 * most + 1 }, (_, at) => (at < most ? most + 1 : at - most));
  for (const [index, letter] of a.entries()) {
    row = nextRow(row, { most, index, isEqual: (column) => b[column] === letter, columns: b.length });
    if (Math.min(...row) > most) return undefined;
  }
  const distance = row[b.length - a.length + most] ?? most + 1;
  return distance > most ? undefined : distance;
}

interface RowRules {
  most: number;
  /** Which letter of the first text this is. */
  index: number;
  columns: number;
  isEqual: (column: number) => boolean;
}

function nextRow(row: readonly number[], { most, index, columns, isEqual }: RowRules): number[] {
  const far = most + 1;
  const next: number[] = [];
  const cheapest = (at: number, column: number): number => {
    const [replaced = far, added = far, removed = far] = [row[at], next[at - 1], row[at + 1]];
    return Math.min(replaced + (isEqual(column - 1) ? 0 : 1), added + 1, removed + 1, far);
  };
  for (let at = 0; at < row.length; at += 1) {
    const column = index + 1 + at - most;
    const isOutside = column < 0 || column > columns;
    if (isOutside) next.push(far);
    else next.push(column === 0 ? Math.min(index + 1, far) : cheapest(at, column));
  }
  return next;
}
