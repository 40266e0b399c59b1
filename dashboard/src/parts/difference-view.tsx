import { differenceOf, type MarkedText } from '@proofmark/domain/difference';

/** Lines around a change that say where it is. */
const around = 2;
const mostUnits = 200_000;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Two texts line by line: what went is marked with −, what came with +, and long equal stretches are counted. */
export function LineDifference({ base, head, label }: { base: string; head: string; label: string }) {
  if (base.length + head.length > mostUnits) return <p class="quiet">Too long to be shown line by line.</p>;
  const lines = differenceOf(linesOf(base), linesOf(head));
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ mark }) => mark !== ' ');
  const shown = lines.flatMap((line, at): (MarkedText | number)[] => {
    if (isNear(at)) return [line];
    // One line stands for each stretch that is left out.
    return at === 0 || isNear(at - 1) ? [lines.slice(at).findIndex((_, next) => isNear(at + next))] : [];
  });
  return (
    <pre class="difference" tabIndex={0} role="group" aria-label={label}>
      {shown.map((line, at) =>
        typeof line === 'number' ? (
          <span class="skipped-lines" key={`${at}`}>
            {line < 0 ? '…' : `… ${line} equal lines`}
            {'\n'}
          </span>
        ) : (
          <span class={kinds[line.mark]} key={`${at}`}>
            {line.mark === '-' ? '−' : line.mark} {line.text}
            {'\n'}
          </span>
        ),
      )}
    </pre>
  );
}

const kinds = { '-': 'gone', '+': 'came', ' ': 'same' } as const;

const mostWords = 4_000;
const wordsOf = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** One side of two texts with the words that the other lacks marked; the whole text where there are too many. */
export function MarkedWords({ base, head, side }: { base: string; head: string; side: 'base' | 'head' }) {
  const own = side === 'base' ? base : head;
  const [before, after] = [wordsOf(base), wordsOf(head)];
  if (before.length > mostWords || after.length > mostWords) return <>{own}</>;
  const mark = side === 'base' ? '-' : '+';
  const parts = joined(differenceOf(before, after).filter((part) => part.mark === ' ' || part.mark === mark));
  return (
    <>
      {parts.map(({ mark: kind, text }, at) =>
        kind === ' ' ? text : side === 'base' ? <del key={`${at}`}>{text}</del> : <ins key={`${at}`}>{text}</ins>,
      )}
    </>
  );
}

/** Neighbours of one kind are one piece. */
function joined(parts: readonly MarkedText[]): MarkedText[] {
  const pieces: MarkedText[] = [];
  for (const { mark, text } of parts) {
    const last = pieces.at(-1);
    if (last?.mark === mark) last.text += text;
    else pieces.push({ mark, text });
  }
  return pieces;
}
