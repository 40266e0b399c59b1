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
  const count = (mark: Line['mark']) => lines.filter((line) => line.mark === mark).length;
  const shown = lines.flatMap((line, at): string[] => {
    const near = lines.slice(Math.max(0, at - around), at + around + 1);
    if (near.some(({ mark }) => mark !== ' ')) return [`${line.mark} ${line.text}`];
    // One mark stands for all that is left out between two changes.
    const next = lines.slice(at + 1, at + around + 2);
    return at > 0 && next.some(({ mark }) => mark !== ' ') ? ['…'] : [];
  });
  const hunks = shown.length === 0 || shown.length > maxShownLines ? null : shown.join('\n');
  return { path, hunks, added: count('+'), removed: count('-') };
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
