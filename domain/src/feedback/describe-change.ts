import { differenceOf, type MarkedText } from '../text/difference.ts';
import type { ChangedFile } from './run-report.ts';

/** A file on both sides; null where it does not exist. */
export interface TwoTexts {
  path: string;
  base: string | null;
  head: string | null;
}

const maxShownLines = 40;
/** Lines around a change that say where it is. */
const around = 1;

/** What differs between two texts, as `- old` and `+ new` with a line around; too much of it is only counted. */
export function describeChange({ path, base, head }: TwoTexts): ChangedFile {
  const lines = differenceOf(linesOf(base), linesOf(head));
  const shown = lines.flatMap((line, at): string[] => {
    if (isNearChange(lines, at, around)) return [`${line.mark} ${line.text}`];
    // One mark stands for all that is left out between two changes.
    const next = lines.slice(at + 1, at + around + 2);
    return at > 0 && next.some(({ mark }) => mark !== ' ') ? ['…'] : [];
  });
  const hunks = shown.length === 0 || shown.length > maxShownLines ? null : shown.join('\n');
  return { path, hunks, ...countsOf(lines) };
}

/** A stretch of lines in which two texts differ, with some around it. */
export interface Hunk {
  /** The first of its lines on each side, counted from 1. */
  baseLine: number;
  headLine: number;
  /** Each begins with its mark: `-` only in the base, `+` only in the head, a blank in both. */
  lines: string[];
}

/** A change as data. `hunks` is null where so much differs that nobody would read it, and where it lies behind what is compared. */
export type ChangeInHunks = Omit<ChangedFile, 'hunks'> & { hunks: Hunk[] | null };

const maxHunkLines = 2_000;
const aroundHunk = 3;

/** What differs between two texts, or between the beginnings of two that differ, for those who show it themselves. */
export function hunksOf({ path, base, head }: TwoTexts): ChangeInHunks {
  const lines = differenceOf(linesOf(base), linesOf(head));
  const hunks: Hunk[] = [];
  let place = { baseLine: 1, headLine: 1 };
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const isShown = isNearChange(lines, at, aroundHunk);
    if (isShown && !isOpen) hunks.push({ ...place, lines: [] });
    if (isShown) hunks.at(-1)?.lines.push(`${line.mark}${line.text}`);
    isOpen = isShown;
    place = placeAfter(place, line);
  }
  const shown = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return { path, ...countsOf(lines), hunks: shown > maxHunkLines || base === head ? null : hunks };
}

const placeAfter = ({ baseLine, headLine }: Omit<Hunk, 'lines'>, { mark }: MarkedText) => ({
  baseLine: baseLine + (mark === '+' ? 0 : 1),
  headLine: headLine + (mark === '-' ? 0 : 1),
});

const isNearChange = (lines: readonly MarkedText[], at: number, reach: number): boolean =>
  lines.slice(Math.max(0, at - reach), at + reach + 1).some(({ mark }) => mark !== ' ');

function countsOf(lines: readonly MarkedText[]): { added: number; removed: number } {
  const count = (mark: MarkedText['mark']) => lines.filter((line) => line.mark === mark).length;
  return { added: count('+'), removed: count('-') };
}

const linesOf = (text: string | null): string[] =>
  text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n');
