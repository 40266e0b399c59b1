/** A piece is about this long: one write for each small value would cost more than the value. */
const pieceLength = 1 << 16;

/** The text of a JSON file of plain data, piece by piece: of something large the whole text is never in memory. */
export function* jsonPieces(value: unknown): Generator<string, undefined> {
  let piece = '';
  for (const word of words(value, '\n')) {
    piece += word;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

/** `line` begins a line at the depth of the value. */
function* words(value: unknown, line: string): Generator<string, undefined> {
  if (typeof value !== 'object' || value === null) return yield JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  const entries = isList ? value.entries() : Object.entries(value).filter(([, inner]) => inner !== undefined);
  let before = isList ? '[' : '{';
  let isEmpty = true;
  for (const [key, inner] of entries) {
    yield `${before}${line}  ${isList ? '' : `${JSON.stringify(key)}: `}`;
    yield* words(inner, `${line}  `);
    before = ',';
    isEmpty = false;
  }
  const end = isList ? ']' : '}';
  return yield isEmpty ? `${before}${end}` : `${line}${end}`;
}
