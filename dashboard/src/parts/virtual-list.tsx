import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows that are drawn above and below what is seen, so that a quick scroll shows no gap. */
const spare = 12;

interface VirtualListProps<Row> {
  rows: readonly Row[];
  /** Of every row, in pixels: rows of one height need no measuring. */
  rowHeight: number;
  keyOf: (row: Row) => string;
  label: string;
  /** The reader comes near the end of what is there. */
  onNearEnd?: () => void;
  children: (row: Row, at: number) => ComponentChildren;
}

/** A long list that scrolls with the page: ten thousand rows are as quick as thirty, because only those that are seen are there. */
export function VirtualList<Row>({ rows, rowHeight, keyOf, label, onNearEnd, children }: VirtualListProps<Row>) {
  const list = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 40 });
  useLayoutEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / rowHeight) - spare);
      const to = Math.ceil((innerHeight - top) / rowHeight) + spare;
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [rowHeight, rows.length]);
  const isNearEnd = seen.to > rows.length - 200;
  useLayoutEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, rows.length]);
  const from = Math.min(seen.from, Math.max(0, rows.length - 1));
  const drawn = rows.slice(from, Math.max(from, seen.to));
  return (
    <ul ref={list} class="virtual" aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
      {drawn.map((row, at) => (
        <li
          key={keyOf(row)}
          aria-setsize={rows.length}
          aria-posinset={from + at + 1}
          style={{ transform: `translateY(${(from + at) * rowHeight}px)`, height: `${rowHeight}px` }}
        >
          {children(row, from + at)}
        </li>
      ))}
    </ul>
  );
}
