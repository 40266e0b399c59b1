import type { ChangedFile } from './run-report.ts';

/** A file on both sides; null where it does not exist. */
export interface TwoTexts {
  path: string;
  base: string | null;
  head: string | null;
}

/** Above so many pairs of lines nobody would read the difference, and finding the smallest one takes long. */
const mostPairs = 250_000;
const maxShownLines = 40;
/** Lines around a change that say where it is. */
const around = 1;

type Line = { mark: '-' | '+' | ' '; text: string };

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

/** A change as data. `hunks` is null where so much differs that nobody would read it. */
export type ChangeInHunks = Omit<ChangedFile, 'hunks'> & { hunks: Hunk[] | null };

const maxHunkLines = 2_000;
const aroundHunk = 3;

/** What differs between two texts, for those who show it themselves. */
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
  return { path, ...countsOf(lines), hunks: shown > maxHunkLines ? null : hunks };
}

const placeAfter = ({ baseLine, headLine }: Omit<Hunk, 'lines'>, { mark }: Line) => ({
  baseLine: baseLine + (mark === '+' ? 0 : 1),
  headLine: headLine + (mark === '-' ? 0 : 1),
});

const isNearChange = (lines: readonly Line[], at: number, reach: number): boolean =>
  lines.slice(Math.max(0, at - reach), at + reach + 1).some(({ mark }) => mark !== ' ');

function countsOf(lines: readonly Line[]): { added: number; removed: number } {
  const count = (mark: Line['mark']) => lines.filter((line) => line.mark === mark).length;
  return { added: count('+'), removed: count('-') };
}

const linesOf = (text: string | null): string[] =>
  text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n');

function differenceOf(base: readonly string[], head: readonly string[]): Line[] {
  const start = commonLength(base, head);
  const end = commonLength(base.slice(start).toReversed(), head.slice(start).toReversed());
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...base.slice(0, start).map(same),
    ...smallest(base.slice(start, base.length - end), head.slice(start, head.length - end)),
    ...base.slice(base.length - end).map(same),
  ];
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, at) => line !== b[at]);
  return differs === -1 ? Math.min(a.length, b.length) : differs;
}

/** By the longest common subsequence, where there are few enough lines. */
function smallest(base: readonly string[], head: readonly string[]): Line[] {
  const removed = base.map((text): Line => ({ mark: '-', text }));
  const added = head.map((text): Line => ({ mark: '+', text }));
  if (base.length * head.length > mostPairs) return [...removed, ...added];
  const lengths = commonLengths(base, head);
  const lines: Line[] = [];
  let [at, to] = [0, 0];
  while (at < base.length && to < head.length) {
    if (base[at] === head[to]) {
      lines.push({ mark: ' ', text: base[at] ?? '' });
      [at, to] = [at + 1, to + 1];
    } else if ((lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0)) {
      lines.push(...removed.slice(at, at + 1));
      at += 1;
    } else {
      lines.push(...added.slice(to, to + 1));
      to += 1;
    }
  }
  return [...lines, ...removed.slice(at), ...added.slice(to)];
}

/** For each place in both: how many lines from there on they have in common. */
function commonLengths(base: readonly string[], head: readonly string[]): number[][] {
  const lengths = Array.from({ length: base.length + 1 }, () => Array<number>(head.length + 1).fill(0));
  for (let at = base.length - 1; at >= 0; at -= 1) {
    const [row = [], below = []] = [lengths[at], lengths[at + 1]];
    for (let to = head.length - 1; to >= 0; to -= 1) {
      row[to] = base[at] === head[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return lengths;
}
