/** Above so many pairs nobody would read the difference, and finding the smallest one takes long. */
const mostPairs = 250_000;

export interface MarkedText {
  mark: '-' | '+' | ' ';
  text: string;
}

/** The lines, or words, of two texts in one list: what both have, what only the base has, and what only the head has. */
export function differenceOf(base: readonly string[], head: readonly string[]): MarkedText[] {
  const start = commonLength(base, head);
  const end = commonLength(base.slice(start).toReversed(), head.slice(start).toReversed());
  const same = (text: string): MarkedText => ({ mark: ' ', text });
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
function smallest(base: readonly string[], head: readonly string[]): MarkedText[] {
  const removed = base.map((text): MarkedText => ({ mark: '-', text }));
  const added = head.map((text): MarkedText => ({ mark: '+', text }));
  if (base.length * head.length > mostPairs) return [...removed, ...added];
  const lengths = commonLengths(base, head);
  const lines: MarkedText[] = [];
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
