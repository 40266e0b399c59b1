import { MarkedWords } from '../../parts/difference-view.tsx';
import { LongText } from '../../parts/pieces.tsx';

const mostMarked = 8_000;

/** An answer with the words marked that the other side lacks. */
export function Answer({ text, other, side }: { text: string | null; other: string | null; side: 'base' | 'head' }) {
  if (text === null) return <p class="quiet">(no answer)</p>;
  if (other === null || other === text || text.length > mostMarked || other.length > mostMarked)
    return <LongText text={text} label={`Answer of the ${side}`} />;
  return (
    <pre dir="auto" tabIndex={0} role="group" aria-label={`Answer of the ${side}`}>
      <MarkedWords base={side === 'base' ? text : other} head={side === 'head' ? text : other} side={side} />
    </pre>
  );
}
