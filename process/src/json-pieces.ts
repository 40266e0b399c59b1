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
  // In a JSON text a line break always begins a line: inside of strings it is escaped.
  if (weigh(value, mostAtOnce) > 0) return yield (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', line);
  if (typeof value !== 'object' || value === null) return yield JSON.stringify(value);
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

/** What weighs no more is written at once. */
const mostAtOnce = 4096;

/** What is left of `room` beside a value, by its characters and values; nothing or less: it is too heavy. */
function weigh(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 1;
  if (typeof value !== 'object' || value === null) return room - 1;
  let left = room - 1;
  // V8 compiles a `for in` over objects of many shapes anew and anew.
  for (const [key, inner] of Object.entries(value)) {
    left = weigh(inner, left - key.length);
    if (left <= 0) break;
  }
  return left;
}
