const dimensions = 64;

/** A vector of length 1 that depends on the words alone: texts that share words point in similar directions. */
export function embeddingOf(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place = hash(word) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** The same vector as little-endian 32-bit floats in base64, as the API sends it on request. */
export function toBase64(vector: number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

// FNV-1a: spreads short words well and needs no library.
function hash(word: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(word)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
