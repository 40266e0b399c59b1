import { differenceOf, type MarkedText } from '@proofmark/domain/difference';

interface Change {
  path: string;
  added: number;
  removed: number;
  hunks: { baseLine: number; headLine: number; lines: string[] }[] | null;
}

const kinds: Readonly<Record<string, string>> = { '-': 'gone', '+': 'came' };

/** What differs in a text: lines that went are marked with −, those that came with +, and each stretch says where it begins. */
export function Hunks({ change: { path, added, removed, hunks } }: { change: Change }) {
  return (
    <figure class="difference">
      <figcaption>
        <code>{path}</code> <span class="good">+{added}</span> <span class="bad">−{removed}</span>
      </figcaption>
      {hunks === null ? (
        <p class="quiet">
          {added + removed > 0
            ? 'So much differs that nobody would read it.'
            : 'It differs behind the first 100,000 characters; only these are compared.'}
        </p>
      ) : (
        <pre tabIndex={0} role="group" aria-label={`What changed in ${path}`}>
          {hunks.map(({ baseLine, headLine, lines }) => (
            <span key={`${baseLine} ${headLine}`}>
              <span class="place">
                line {headLine}
                {'\n'}
              </span>
              {lines.map((line, at) => (
                <span class={kinds[line.charAt(0)] ?? 'same'} key={`${at}`}>
                  {line.startsWith('-') ? '−' : line.charAt(0)} {line.slice(1)}
                  {'\n'}
                </span>
              ))}
            </span>
          ))}
        </pre>
      )}
    </figure>
  );
}

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
