interface Bound {
  /** So many characters a line may have. */
  largest: number;
  /** What is thrown while a longer one is read: whoever never ends a line would fill the memory. */
  refusal: () => Error;
}

/**
 * The lines of a text that comes in pieces, without their ends; a last one without an end is one too. Only a line feed ends
 * a line: other readers also break at U+2028, which stands raw in JSON and would cut an answer in two. A text of our own
 * needs no bound.
 */
export async function* linesOf(pieces: AsyncIterable<string>, bound?: Bound): AsyncGenerator<string, undefined> {
  let open: string[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    open.push(first);
    size += first.length;
    for (const next of others) {
      yield withoutReturn(open.join(''));
      open = [next];
      size = next.length;
    }
    if (bound !== undefined && size > bound.largest) throw bound.refusal();
  }
  if (size > 0) yield withoutReturn(open.join(''));
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
