const wordBits = 32;
const wordValues = 2 ** wordBits;

/**
 * The length of the longest sequence of tokens that occurs in both in this order, gaps allowed. 32 columns of the usual
 * table are one number (Hyyrö 2004), so that 50,000 words against 50,000 take a part of a second and little memory.
 */
export function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  // A zero bit: the best of this column is one more than that of the column before it.
  const steps = new Uint32Array(Math.ceil(b.length / wordBits)).fill(wordValues - 1);
  const places = placesOf(b);
  const frequent = new Map<string, Uint32Array>();
  for (const token of a) {
    const columns = places.get(token);
    if (columns === undefined) continue;
    const equal = frequent.get(token) ?? marked(columns, steps.length);
    // At most 32 tokens are in as many places as there are words, so what is kept is no more than the text itself.
    if (columns.length >= steps.length) frequent.set(token, equal);
    addRow(steps, equal);
  }
  return b.reduce((length, _, column) => length + (((steps[word(column)] ?? 0) & bit(column)) === 0 ? 1 : 0), 0);
}

const word = (column: number): number => Math.floor(column / wordBits);
const bit = (column: number): number => 1 << (column % wordBits);

function marked(columns: readonly number[], words: number): Uint32Array {
  const equal = new Uint32Array(words);
  for (const column of columns) equal[word(column)] = (equal[word(column)] ?? 0) | bit(column);
  return equal;
}

function placesOf(tokens: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [column, token] of tokens.entries()) {
    const known = places.get(token);
    if (known === undefined) places.set(token, [column]);
    else known.push(column);
  }
  return places;
}

/** `steps = (steps + (steps & equal)) | (steps & ~equal)` over all words, with the carry of the addition. */
function addRow(steps: Uint32Array, equal: Uint32Array): void {
  let carry = 0;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] ?? 0;
    const same = equal[index] ?? 0;
    const sum = step + ((step & same) >>> 0) + carry;
    carry = sum >= wordValues ? 1 : 0;
    steps[index] = sum | (step & ~same);
  }
}
