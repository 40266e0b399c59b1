/**
 * The lines of a text that comes in pieces, without their ends; a last one without an end is one too. Only a line feed ends
 * a line: other readers also break at U+2028, which stands raw in JSON and would cut an answer in two.
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string[] = [];
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    open.push(first);
    for (const next of others) {
      yield withoutReturn(open.join(''));
      open = [next];
    }
  }
  const last = open.join('');
  if (last !== '') yield withoutReturn(last);
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
